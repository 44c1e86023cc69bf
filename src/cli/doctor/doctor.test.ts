import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../../test/support/database/databases.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import { openKeyring } from '../../foundation/secrets/open-keyring.ts';
import { saveSecret } from '../../foundation/secrets/secret-store.ts';

interface Report {
  readonly schemaVersion: number;
  readonly status: string;
  readonly checks: readonly {
    readonly id: string;
    readonly status: string;
    readonly message: string;
    readonly hint?: string;
    readonly evidence?: Record<string, unknown>;
  }[];
}

const ids = [
  'node',
  'git',
  'data-folder',
  'disk',
  'codesearch',
  'model',
  'server',
  'database',
  'schema',
  'durability',
  'secrets',
  'queue',
  'worker',
  'mirror',
  'client-documents',
];
const authSecret = 'of the deployment '.repeat(3);

function closedFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o700);
  return folder;
}

async function examine({ options }: TestDatabase, env: Readonly<Record<string, string>> = {}) {
  const url = options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url;
  const DATA_DIR = options.dialect === 'sqlite' ? dirname(options.file) : closedFolder();
  chmodSync(DATA_DIR, 0o700);
  // Nothing listens on port 1.
  const AUTH_BASE_URL = 'http://127.0.0.1:1';
  const settings = { DATABASE_URL: url, DATA_DIR, AUTH_SECRET: authSecret, AUTH_BASE_URL, ...env };
  const { code, stdout, stderr } = await runCli(['doctor', '--json'], { env: settings });
  const report = JSON.parse(stdout) as Report;
  const check = (id: string) => report.checks.find((each) => each.id === id);
  return { code, report, check, printed: stdout + stderr };
}

/** Records the last heartbeat of a worker. */
async function recordHeartbeat({ queries }: TestDatabase, seen_at: number, id = 'w'): Promise<void> {
  const row = { id, host: 'build-7', pid: 4711, version: '0.0.1', started_at: 1, seen_at };
  await queries.insertInto('workers').values(row).execute();
}

describeEachDatabase('orgctx doctor', (open, dialect) => {
  it('passes every check on a healthy host, in the format of the other doctor', async () => {
    const database = await open();
    await recordHeartbeat(database, Date.now());
    const { code, report, check } = await examine(database);
    // The disk of a build machine may be nearly full, so this check is excluded.
    const others = report.checks.filter(({ id }) => id !== 'disk');
    expect(others.filter(({ status }) => status !== 'pass')).toMatchObject([{ id: 'server' }]);
    expect(report.checks.map(({ id }) => id)).toEqual(ids);
    expect([code, report.schemaVersion]).toEqual([0, 1]);
    expect(check('durability')?.evidence).toMatchObject(
      dialect === 'sqlite'
        ? { journal_mode: 'wal', synchronous: '2' }
        : { fsync: 'on', full_page_writes: 'on' },
    );
  });

  it('fails for a schema that is not migrated, mentions migrate, and changes nothing', async () => {
    const database = await open({ empty: true });
    const { code, report, check } = await examine(database);
    expect([code, report.status, check('schema')?.status]).toEqual([1, 'failed', 'fail']);
    expect(check('schema')?.hint).toContain('orgctx migrate');
    expect([check('secrets')?.status, check('queue')?.status]).toEqual(['skipped', 'skipped']);
    const { check: again } = await examine(database);
    expect(again('schema')?.message).toBe('The database is empty.');
  });

  it('fails for a schema of another build', async () => {
    const database = await open();
    await sql`update schema_migrations set checksum = 'other'`.execute(database.queries);
    const { code, check } = await examine(database);
    expect([code, check('schema')?.message]).toEqual([
      1,
      'The schema was created by another build of this version.',
    ]);
  });

  it('fails for a schema newer than the program', async () => {
    const database = await open();
    await sql`insert into schema_migrations values ('9999-later', '', 1, '9.0.0')`.execute(database.queries);
    const { code, check } = await examine(database);
    expect([code, check('schema')?.message]).toEqual([1, expect.stringMatching(/9999-later is newer than/)]);
  });

  it('names commands as they are typed under npx', async () => {
    const env = { DATA_DIR: closedFolder(), AUTH_BASE_URL: 'http://127.0.0.1:1', npm_command: 'exec' };
    expect((await runCli(['doctor'], { env })).stdout).toContain(
      'Run "npx orgctx quickstart" or "npx orgctx serve"',
    );
  });

  it('warns about dead jobs and an unclaimed job, with exit code 0', async () => {
    const database = await open();
    const job = { task: 't', priority: 0, payload: '{}', attempts: 0, max_attempts: 1, created_at: 1 };
    await database.queries
      .insertInto('jobs')
      .values({ ...job, id: 'dead', state: 'dead', run_at: 1 })
      .execute();
    const dead = await examine(database);
    expect([dead.code, dead.report.status]).toEqual([0, 'warning']);
    expect(dead.check('queue')?.message).toBe('1 job is dead.');
    expect(dead.check('queue')).toMatchObject({
      status: 'warning',
      hint: expect.stringContaining('orgctx jobs'),
    });
    await database.queries
      .insertInto('jobs')
      .values({ ...job, id: 'due', state: 'ready', run_at: Date.now() - 3_600_000 })
      .execute();
    const overdue = await examine(database);
    expect(overdue.check('queue')?.message).toBe('A job has been due for 60 minutes.');
  });

  it('warns if no server answers at the address of the service', async () => {
    const { code, check } = await examine(await open());
    expect([code, check('server')]).toMatchObject([
      0,
      {
        status: 'warning',
        message: expect.stringContaining('http://127.0.0.1:1'),
        hint: expect.stringContaining('orgctx serve'),
      },
    ]);
  });

  it.each([
    [200, { status: 'ok', version: '0.0.1' }, 'pass', 'answers'],
    [503, { status: 'unavailable', version: '0.0.1' }, 'warning', 'not ready'],
    [200, '<html>', 'warning', 'not orgctx'],
    [404, {}, 'warning', 'not orgctx'],
  ])('judges an answer of the server: %d %j', async (statusCode, body, status, words) => {
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/.status' ? statusCode : 500;
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const AUTH_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { check } = await examine(await open(), { AUTH_BASE_URL });
    expect(check('server')).toMatchObject({ status, message: expect.stringContaining(words) });
  });

  it('warns if no worker has a heartbeat of the last minute, and names the one that was killed', async () => {
    const database = await open();
    const none = await examine(database);
    expect([none.code, none.check('worker')]).toMatchObject([
      0,
      { status: 'warning', message: 'No worker is running.', hint: expect.stringContaining('orgctx worker') },
    ]);
    await recordHeartbeat(database, Date.now() - 120_000, 'killed');
    expect((await examine(database)).check('worker')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('Process 4711 on build-7 did not stop by itself'),
    });
    await recordHeartbeat(database, Date.now(), 'running');
    expect((await examine(database)).check('worker')).toMatchObject({
      status: 'pass',
      message: '1 worker runs.',
      evidence: { running: 1, version: '0.0.1' },
    });
  });

  it('fails if saved secrets need another key, and prints none of them', async () => {
    const database = await open();
    const keys = { authSecret, connectionKey: undefined, formerConnectionKeys: [] };
    const keyring = await openKeyring(database, keys, systemClock);
    const place = { connectionId: 'c' as ConnectionId, field: 'clientSecret' };
    await database.transaction((tx) => saveSecret(tx, keyring, place, 'hunter2', 1));
    expect((await examine(database)).check('secrets')?.status).toBe('pass');
    const other = await examine(database, { AUTH_SECRET: 'of another deployment '.repeat(3) });
    expect([other.code, other.check('secrets')?.message]).toEqual([
      1,
      '1 saved secrets cannot be read with these keys: clientSecret of c.',
    ]);
    expect(other.check('secrets')?.hint).toContain('CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS');
    expect(other.printed).not.toMatch(/hunter2|of another deployment/);

    const CONNECTION_SECRETS_ENCRYPTION_KEY = 'of its own '.repeat(4);
    const former = await examine(database, { CONNECTION_SECRETS_ENCRYPTION_KEY });
    expect([former.code, former.check('secrets')?.hint]).toEqual([0, 'Run "orgctx secrets rotate".']);
  });

  it('fails if a saved secret is damaged, and names its connection and field', async () => {
    const database = await open();
    const keys = { authSecret, connectionKey: undefined, formerConnectionKeys: [] };
    const keyring = await openKeyring(database, keys, systemClock);
    const place = { connectionId: 'c' as ConnectionId, field: 'webhookSecret' };
    await database.transaction((tx) => saveSecret(tx, keyring, place, 'hunter2', 1));
    await database.queries.updateTable('connection_secrets').set({ field: 'clientSecret' }).execute();
    const { code, check, printed } = await examine(database);
    expect([code, check('secrets')?.message]).toEqual([
      1,
      '1 saved secrets are damaged or were moved: clientSecret of c.',
    ]);
    expect(printed).not.toContain('hunter2');
  });

  itWhen(dialect === 'postgres')(
    'fails if Postgres acknowledges commits before they are on the disk',
    async () => {
      const database = await open();
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
        database.queries,
      );
      await sql.raw(`alter database ${rows[0]?.name} set synchronous_commit = off`).execute(database.queries);
      const { code, check } = await examine(database);
      expect([code, check('durability')?.message]).toEqual([
        1,
        'Acknowledged work can be lost: synchronous_commit is off, not on.',
      ]);
    },
  );

  itWhen(dialect === 'postgres')(
    'reports an unreachable Postgres as a failed check, without the password',
    async () => {
      const database = await open();
      const url = 'postgres://ada:hunter2@127.0.0.1:1/orgctx';
      const { code, report, check, printed } = await examine(database, { DATABASE_URL: url });
      expect([code, report.checks.map(({ id }) => id)]).toEqual([1, ids]);
      expect(check('database')).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('127.0.0.1:1'),
      });
      expect(check('schema')?.status).toBe('skipped');
      expect(printed).not.toContain('hunter2');
    },
  );
});

describe('orgctx doctor on a host without a working database', () => {
  const examineFolder = async (dataDir: string) => {
    const { code, stdout } = await runCli(['doctor', '--json', '--data-dir', dataDir]);
    const report = JSON.parse(stdout) as Report;
    return { code, check: (id: string) => report.checks.find((each) => each.id === id) };
  };

  it('creates no database and says how to create one', async () => {
    const dataDir = closedFolder();
    const { code, check } = await examineFolder(dataDir);
    expect([code, check('database')?.message]).toEqual([
      1,
      `There is no database at ${join(dataDir, 'orgctx.db')}.`,
    ]);
    expect(check('database')?.hint).toContain('orgctx serve');
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('reports a file that is not a database as a failed check', async () => {
    const dataDir = closedFolder();
    writeFileSync(join(dataDir, 'orgctx.db'), 'x'.repeat(4_096));
    const { code, check } = await examineFolder(dataDir);
    expect([code, check('database')?.status, check('queue')?.status]).toEqual([1, 'fail', 'skipped']);
  });

  it('fails if the data folder does not exist', async () => {
    const dataDir = join(closedFolder(), 'gone');
    const { code, check } = await examineFolder(dataDir);
    expect([code, check('data-folder')?.message, check('disk')?.status]).toEqual([
      1,
      `${dataDir} does not exist.`,
      'skipped',
    ]);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('warns about a data folder that other accounts can read, and names the readable files', async () => {
    const dataDir = closedFolder();
    chmodSync(dataDir, 0o755);
    mkdirSync(join(dataDir, 'logs'), { mode: 0o700 });
    writeFileSync(join(dataDir, 'auth-secret'), 'x'.repeat(40), { mode: 0o644 });
    const { check } = await examineFolder(dataDir);
    expect(check('data-folder')).toMatchObject({
      status: 'warning',
      message: `Other accounts of this host can reach ${dataDir}, ${join(dataDir, 'auth-secret')}.`,
      hint: expect.stringContaining('chmod'),
    });
    rmSync(dataDir, { recursive: true });
  });
});

describe('the command line of orgctx doctor', () => {
  it.each([['--fix'], ['--bundle', 'x']])(
    'refuses %s, which does not exist yet: exit code 2',
    async (...words) => {
      const { code, stdout } = await runCli(['doctor', ...words]);
      expect([code, stdout]).toEqual([2, '']);
    },
  );

  it('prints one line per check for people, and the result last', async () => {
    const { code, stdout } = await runCli(['doctor', '--data-dir', closedFolder()]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^pass +Node: Node \d/);
    expect(stdout).toMatch(/^FAIL +Database: There is no database/m);
    expect(stdout.trimEnd()).toMatch(/This host: failed$/);
  });
});
