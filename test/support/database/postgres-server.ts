import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrations } from '../../../migrations/index.ts';
import { migrateToLatest } from '../../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { freePort } from '../http/free-port.ts';
import { silentLog } from '../silent-log.ts';

/** Name of the migrated template of test databases. */
export const templateDatabase = 'orgctx_template';

/** A Postgres server from the host's binaries in a temporary folder. The caller must stop it. */
export interface PostgresServer {
  /** URL of the maintenance database, as a superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Finds the folder with `postgres` and `initdb`: in PATH, or the newest of the system's packages. */
export async function findServerBinaries(): Promise<string | undefined> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...newestFirst.map((version) => `/usr/lib/postgresql/${version}/bin`),
  ];
  for (const folder of folders) {
    const both = await Promise.all(['postgres', 'initdb'].map((name) => isFile(join(folder, name))));
    if (both.every(Boolean)) return folder;
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Starts a server. It stops when this process exits, even when this process is killed. */
export async function startServer(bin: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'orgctx-postgres-'));
  const user = await unprivilegedUser();
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of user === undefined ? [] : [folder, passwordFile])
    await chown(path, user!.uid, user!.gid);

  const data = join(folder, 'data');
  const options = { cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' }, ...user };
  await promisify(execFile)(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'orgctx',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--no-sync',
    ],
    options,
  );
  const port = await freePort();
  const child = spawn(
    'sh',
    // The shell waits until this process closes the pipe, so that the server stops even when this process is killed.
    [
      '-c',
      '"$0" "$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server',
      join(bin, 'postgres'),
    ].concat(
      ['-D', data, '-p', String(port), '-k', folder],
      ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200', '-c', 'log_min_messages=panic'],
    ),
    { ...options, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  const stop = async (): Promise<void> => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.stdin?.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const url = `postgres://orgctx:${password}@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(url, child);
    await makeTemplate(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** Returns an unprivileged user if this process is root, because Postgres refuses to run as root. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].flatMap((name) => users.filter(([login]) => login === name))[0];
  if (user === undefined) throw new Error('Postgres cannot run as root: add a user `postgres` or `nobody`.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4_000);
  });
  for (let tries = 0; tries < 300 && child.exitCode === null; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch {
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new Error(`Postgres did not start:\n${output}`);
}

async function makeTemplate(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`create database ${templateDatabase}`);
  await admin.end();
  const template = new URL(url);
  template.pathname = templateDatabase;
  const database = await openDatabase(
    { dialect: 'postgres', url: template.href, poolSize: 1, applicationName: 'template' },
    silentLog,
  );
  await migrateToLatest(database, { migrations, log: silentLog });
  await database.close();
}
