import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Insertable, sql } from 'kysely';
import { expect, it } from 'vitest';
import { checksums } from '../../migrations/checksums.ts';
import { migrations } from '../../migrations/index.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../../src/foundation/db/migrate.ts';
import type { Migration, MigrationSet } from '../../src/foundation/db/migration.ts';
import { migrationChecksum } from '../../src/foundation/db/migration-checksum.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { listTables } from '../../src/foundation/db/schema-history.ts';
import type { RepositoryRow } from '../../src/foundation/db/tables.ts';
import { describeEachDatabase, itWhen } from '../support/databases.ts';
import { silentLog } from '../support/silent-log.ts';

const ids = migrations.map(({ id }) => id);
const options = { log: silentLog };

const addsTable: Migration = {
  id: '9999-adds-table',
  up: async (db, d) => {
    await d
      .createTable(db, 'added')
      .addColumn('id', d.text, (c) => c.primaryKey())
      .execute();
  },
};
const fails: Migration = {
  id: '9999-fails',
  up: async (db, d) => {
    await d
      .createTable(db, 'half')
      .addColumn('id', d.text, (c) => c.primaryKey())
      .execute();
    throw new Error('in the middle');
  },
};
/** Its checksum was pinned, but not recorded by the program that reads it later. */
async function withMore(migration: Migration): Promise<MigrationSet> {
  const sums = {
    sqlite: await migrationChecksum(migration, 'sqlite').catch(() => ''),
    postgres: await migrationChecksum(migration, 'postgres').catch(() => ''),
  };
  return { list: [...migrations, migration], checksums: { ...checksums, [migration.id]: sums } };
}

describeEachDatabase('migrating', (open, dialect) => {
  it('makes an empty database current, once', async () => {
    const database = await open({ empty: true });
    expect(await schemaState(database)).toBe('empty');
    expect(await migrateToLatest(database, options)).toEqual({
      applied: ids,
      pending: [],
      version: ids.at(-1),
    });
    expect(await schemaState(database)).toBe('current');
    expect(await migrateToLatest(database, options)).toEqual({
      applied: [],
      pending: [],
      version: ids.at(-1),
    });
  });

  it('is done once by two processes at the same time', async () => {
    const database = await open({ empty: true });
    const script = join(import.meta.dirname, '../support/migrate-once.ts');
    const run = () => promisify(execFile)(process.execPath, [script, JSON.stringify(database.options)]);
    const outputs = await Promise.all([run(), run()]);
    expect(outputs.flatMap(({ stdout }) => JSON.parse(stdout) as string[])).toEqual(ids);
    expect(await schemaState(database)).toBe('current');
  });

  it('says when the database is older, and when it is newer than the program', async () => {
    const database = await open();
    const set = await withMore(addsTable);
    expect(await schemaState(database, set)).toBe('older');
    await migrateToLatest(database, { ...options, migrations: set });
    expect(await schemaState(database)).toBe('newer');
    await expect(migrateToLatest(database, options)).rejects.toThrow(/newer than this program/);
  });

  it('takes tables of another program for no empty database', async () => {
    const database = await open({ empty: true });
    await sql`create table theirs (id text)`.execute(database.queries);
    expect(await schemaState(database)).toBe('older');
  });

  it('leaves nothing of a migration that fails', async () => {
    const database = await open();
    // A failing one cannot be compiled to its end either, so it is pinned by what it does up to there.
    const failing: Migration = {
      ...fails,
      up: (db, d) => (compiling(db) ? addsTable.up(db, d) : fails.up(db, d)),
    };
    const set = await withMore(failing);
    await expect(migrateToLatest(database, { ...options, migrations: set })).rejects.toThrow('in the middle');
    expect(await listTables(database.queries)).not.toContain('half');
    expect(await schemaState(database, set)).toBe('older');
  });

  it('refuses an edited migration before it changes anything', async () => {
    const database = await open({ empty: true });
    const set: MigrationSet = {
      list: [addsTable],
      checksums: { [addsTable.id]: { sqlite: '0', postgres: '0' } },
    };
    await expect(migrateToLatest(database, { ...options, migrations: set })).rejects.toThrow(/was edited/);
    expect(await listTables(database.queries)).toEqual([]);
  });

  it('refuses a database that was made by another edition of a migration', async () => {
    const database = await open();
    await sql`update schema_migrations set checksum = 'other'`.execute(database.queries);
    await expect(migrateToLatest(database, options)).rejects.toThrow(/differs/);
  });

  itWhen(dialect === 'sqlite')('copies a file with content before it changes it', async () => {
    const database = await open();
    await database.queries
      .insertInto('organizations')
      .values({ id: 'o', slug: 'o', name: 'o', created_at: 1 })
      .execute();
    const { backup } = await migrateToLatest(database, { ...options, migrations: await withMore(addsTable) });
    if (backup === undefined) throw new Error('there is no backup');
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    const copy = await openDatabase({ dialect: 'sqlite', file: backup }, silentLog);
    expect(await listTables(copy.queries)).not.toContain('added');
    expect(await organizations(copy)).toEqual(['o']);
    await copy.close();
  });

  it('never gives a repository number twice', async () => {
    const database = await open();
    await database.queries
      .insertInto('organizations')
      .values({ id: 'o', slug: 'o', name: 'o', created_at: 1 })
      .execute();
    const first = await addRepository(database, 'a', null);
    await database.queries.deleteFrom('repositories').execute();
    expect(await addRepository(database, 'b', null)).toBeGreaterThan(first);
  });

  it('lets one branch of a source stand in an organization once, the default branch included', async () => {
    const database = await open();
    await database.queries
      .insertInto('organizations')
      .values({ id: 'o', slug: 'o', name: 'o', created_at: 1 })
      .execute();
    await addRepository(database, 'a', null);
    await addRepository(database, 'b', 'main');
    await expect(addRepository(database, 'c', null)).rejects.toThrow(/unique/i);
    await expect(addRepository(database, 'd', 'main')).rejects.toThrow(/unique/i);
    await expect(addRepository(database, 'a', 'other')).rejects.toThrow(/unique/i);
  });
});

function compiling(db: Parameters<Migration['up']>[0]): boolean {
  return !db.isTransaction;
}

async function organizations(database: Database): Promise<readonly string[]> {
  const rows = await database.queries.selectFrom('organizations').select('id').execute();
  return rows.map(({ id }) => id);
}

async function addRepository(database: Database, name: string, branch: string | null): Promise<number> {
  const row: Insertable<RepositoryRow> = {
    id: name,
    organization_id: 'o',
    name,
    source: 'https://host.test/r',
    source_kind: 'https',
    branch,
    state: 'queued',
    state_changed_at: 1,
    index_generation: 0,
    files: 0,
    bytes: 0,
    skipped: '{}',
    created_at: 1,
  };
  const { number } = await database.queries
    .insertInto('repositories')
    .values(row)
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
}
