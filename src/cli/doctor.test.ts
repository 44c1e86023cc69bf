import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../test/support/command-line.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../test/support/databases.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import type { ConnectionId } from '../foundation/kernel/ids.ts';
import { openKeyring } from '../foundation/secrets/open-keyring.ts';
import { saveSecret } from '../foundation/secrets/secret-store.ts';

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
  'database',
  'schema',
  'durability',
  'secrets',
  'queue',
  'worker',
  'mirror',
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
  const settings = { DATABASE_URL: url, DATA_DIR, AUTH_SECRET: authSecret, ...env };
  const { code, stdout, stderr } = await runCli(['doctor', '--json'], { env: settings });
  const report = JSON.parse(stdout) as Report;
  const check = (id: string) => report.checks.find((each) => each.id === id);
  return { code, report, check, printed: stdout + stderr };
}

/** What a worker leaves that looked at the schedules then. */
async function lookedAt({ queries }: TestDatabase, last_slot: number): Promise<void> {
  await queries.deleteFrom('schedules').execute();
  await queries.insertInto('schedules').values({ name: 'deliveries-prune', last_slot }).execute();
}

describeEachDatabase('orgctx doctor', (open, dialect) => {
  it('passes every check on a host in order, in the shape of the other doctor', async () => {
    const database = await open();
    await lookedAt(database, Date.now());
    const { code, report, check } = await examine(database);
    // The disk of a build machine may be nearly full, which is no fault of the doctor's.
    const others = report.checks.filter(({ id }) => id !== 'disk');
    expect(others.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(report.checks.map(({ id }) => id)).toEqual(ids);
    expect([code, report.schemaVersion]).toEqual([0, 1]);
    expect(check('durability')?.evidence).toMatchObject(
      dialect === 'sqlite'
        ? { journal_mode: 'wal', synchronous: '2' }
        : { fsync: 'on', full_page_writes: 'on' },
    );
  });

  it('fails at a schema that is not migrated, names migrate, and changes nothing', async () => {
    const database = await open({ empty: true });
    const { code, report, check } = await examine(database);
    expect([code, report.status, check('schema')?.status]).toEqual([1, 'failed', 'fail']);
    expect(check('schema')?.hint).toContain('orgctx migrate');
    expect([check('secrets')?.status, check('queue')?.status]).toEqual(['skipped', 'skipped']);
    const { check: again } = await examine(database);
    expect(again('schema')?.message).toBe('The database is empty.');
  });

  it('fails at a schema newer than the program', async () => {
    const database = await open();
    await sql`insert into schema_migrations values ('9999-later', '', 1, '9.0.0')`.execute(database.queries);
    const { code, check } = await examine(database);
    expect([code, check('schema')?.message]).toEqual([1, expect.stringMatching(/9999-later is newer than/)]);
  });

  it('warns of dead jobs and of one that nobody takes, with exit code 0', async () => {
    const database = await open();
    const job = { task: 't', priority: 0, payload: '{}', attempts: 0, max_attempts: 1, created_at: 1 };
    await database.queries
      .insertInto('jobs')
      .values({ ...job, id: 'dead', state: 'dead', run_at: 1 })
      .execute();
    const dead = await examine(database);
    expect([dead.code, dead.report.status]).toEqual([0, 'warning']);
    expect(dead.check('queue')).toMatchObject({
      status: 'warning',
      hint: expect.stringContaining('orgctx jobs'),
    });
    await database.queries
      .insertInto('jobs')
      .values({ ...job, id: 'due', state: 'ready', run_at: Date.now() - 3_600_000 })
      .execute();
    const late = await examine(database);
    expect(late.check('queue')?.message).toBe('A job has been due for 60 minutes.');
  });

  it('warns when no worker has looked at the schedules for hours, unless one has a job in hand', async () => {
    const database = await open();
    expect((await examine(database)).check('worker')?.status).toBe('skipped');
    await lookedAt(database, Date.now() - 2 * 3_600_000);
    const { code, check } = await examine(database);
    expect([code, check('worker')]).toMatchObject([
      0,
      { status: 'warning', hint: expect.stringContaining('orgctx worker') },
    ]);
    const job = { task: 't', priority: 0, payload: '{}', attempts: 1, max_attempts: 1, created_at: 1 };
    const inHand = { ...job, id: 'running', state: 'running' as const, run_at: 1, lease_token: 'x' };
    const insert = (lease_until: number) =>
      database.queries
        .insertInto('jobs')
        .values({ ...inHand, id: String(lease_until), lease_until })
        .execute();
    await insert(Date.now() - 60_000);
    expect((await examine(database)).check('worker')?.status).toBe('warning');
    await insert(Date.now() + 60_000);
    expect((await examine(database)).check('worker')?.message).toBe('One has a job in hand.');
  });

  it('fails when saved secrets need another key, and prints none', async () => {
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

  it('fails when a saved secret is damaged, and names its connection and field', async () => {
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

  itWhen(dialect === 'postgres')('fails when Postgres acknowledges before the disk has it', async () => {
    const database = await open();
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.queries);
    await sql.raw(`alter database ${rows[0]?.name} set synchronous_commit = off`).execute(database.queries);
    const { code, check } = await examine(database);
    expect([code, check('durability')?.message]).toEqual([
      1,
      'Acknowledged work can be lost: synchronous_commit is off, not on.',
    ]);
  });

  itWhen(dialect === 'postgres')(
    'reports a Postgres that is away as a failed check, without the password',
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

  it('makes none, and says how to', async () => {
    const dataDir = closedFolder();
    const { code, check } = await examineFolder(dataDir);
    expect([code, check('database')?.message]).toEqual([
      1,
      `There is no database at ${join(dataDir, 'orgctx.db')}.`,
    ]);
    expect(check('database')?.hint).toContain('orgctx serve');
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('takes a file that is no database for a failed check', async () => {
    const dataDir = closedFolder();
    writeFileSync(join(dataDir, 'orgctx.db'), 'x'.repeat(4_096));
    const { code, check } = await examineFolder(dataDir);
    expect([code, check('database')?.status, check('queue')?.status]).toEqual([1, 'fail', 'skipped']);
  });

  it('fails at a data folder that is not there', async () => {
    const dataDir = join(closedFolder(), 'gone');
    const { code, check } = await examineFolder(dataDir);
    expect([code, check('data-folder')?.message, check('disk')?.status]).toEqual([
      1,
      `${dataDir} is not there.`,
      'skipped',
    ]);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('warns of a data folder that other accounts reach, naming what in it they could read', async () => {
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
  it.each([['--fix'], ['--bundle', 'x'], ['connector', 'x']])(
    'does not take %s yet: exit code 2',
    async (...words) => {
      const { code, stdout } = await runCli(['doctor', ...words]);
      expect([code, stdout]).toEqual([2, '']);
    },
  );

  it('prints a line a check for people, and the verdict last', async () => {
    const { code, stdout } = await runCli(['doctor', '--data-dir', closedFolder()]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^pass +Node: Node \d/);
    expect(stdout).toMatch(/^FAIL +Database: There is no database/m);
    expect(stdout.trimEnd()).toMatch(/This host: failed$/);
  });
});
