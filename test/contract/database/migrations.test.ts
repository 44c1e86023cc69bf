import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Insertable, sql } from 'kysely';
import { expect, it } from 'vitest';
import type { RepositoryRow } from '../../../src/features/repositories/tables.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../../../src/foundation/db/migrations/migrate.ts';
import type { Migration } from '../../../src/foundation/db/migrations/migration.ts';
import { listTables } from '../../../src/foundation/db/migrations/schema-history.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import {
  sampleMigrations as migrations,
  openSample,
  sampleIds,
  sampleWith,
} from '../../support/database/sample-migrations.ts';
import { silentLog } from '../../support/silent-log.ts';

const log = silentLog;

const addsTable: Migration = {
  id: '0004-adds-table',
  up: async (db, d) => {
    await d
      .createTable(db, 'added')
      .addColumn('id', d.text, (c) => c.primaryKey())
      .execute();
  },
};

describeEachDatabase('migrating', (open, dialect) => {
  it('brings an empty database up to date, once', async () => {
    const database = await open({ empty: true });
    const version = sampleIds.at(-1);
    expect(await schemaState(database, migrations)).toBe('empty');
    expect(await migrateToLatest(database, { migrations, log })).toEqual({
      applied: sampleIds,
      pending: [],
      version,
    });
    expect(await schemaState(database, migrations)).toBe('current');
    expect(await migrateToLatest(database, { migrations, log })).toEqual({
      applied: [],
      pending: [],
      version,
    });
  });

  it('happens once when two processes migrate at the same time', async () => {
    const database = await open({ empty: true });
    const script = join(import.meta.dirname, '../../support/database/migrate-once.ts');
    const run = () => promisify(execFile)(process.execPath, [script, JSON.stringify(database.options)]);
    const outputs = await Promise.all([run(), run()]);
    expect(outputs.flatMap(({ stdout }) => JSON.parse(stdout) as string[])).toEqual(sampleIds);
    expect(await schemaState(database, migrations)).toBe('current');
  });

  it('refuses a database that is newer than the program', async () => {
    const database = await openSample(open);
    const newer = sampleWith(addsTable);
    expect(await schemaState(database, newer)).toBe('older');
    await migrateToLatest(database, { migrations: newer, log });
    expect(await schemaState(database, migrations)).toBe('newer');
    await expect(migrateToLatest(database, { migrations, log })).rejects.toThrow(/newer than this program/);
  });

  it('refuses a database that was created with other statements of the same migration', async () => {
    const database = await openSample(open);
    await sql`update schema_migrations set checksum = 'other' where id = ${sampleIds[0]}`.execute(
      database.queries,
    );
    expect(await schemaState(database, migrations)).toBe('changed');
    await expect(migrateToLatest(database, { migrations, log })).rejects.toMatchObject({
      code: 'schema_changed',
    });
  });

  it('does not treat a database with tables of another program as empty', async () => {
    const database = await open({ empty: true });
    await sql`create table theirs (id text)`.execute(database.queries);
    expect(await schemaState(database, migrations)).toBe('older');
  });

  it('leaves nothing of a migration that fails', async () => {
    const database = await openSample(open);
    const failing: Migration = {
      id: '0004-fails',
      up: async (db, d) => {
        await addsTable.up(db, d);
        // Outside a transaction its statements are only compiled, for its checksum.
        if (db.isTransaction) throw new Error('in the middle');
      },
    };
    const set = sampleWith(failing);
    await expect(migrateToLatest(database, { migrations: set, log })).rejects.toThrow('in the middle');
    expect(await listTables(database.queries)).not.toContain('added');
    expect(await schemaState(database, set)).toBe('older');
  });

  it('refuses an edited migration before it changes anything', async () => {
    const database = await open({ empty: true });
    const edited = {
      list: [addsTable],
      checksums: { [addsTable.id]: { sqlite: '0', postgres: '0' } },
    };
    await expect(migrateToLatest(database, { migrations: edited, log })).rejects.toThrow(/was edited/);
    expect(await listTables(database.queries)).toEqual([]);
  });

  it('refuses a database that another edition of a migration created', async () => {
    const database = await openSample(open);
    await sql`update schema_migrations set checksum = 'other'`.execute(database.queries);
    await expect(migrateToLatest(database, { migrations, log })).rejects.toThrow(/differs/);
  });

  itWhen(dialect === 'sqlite')('copies a file with content before it changes it', async () => {
    const database = await openSample(open);
    const { backup } = await migrateToLatest(database, { migrations: sampleWith(addsTable), log });
    if (backup === undefined) throw new Error('there is no backup');
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    const copy = await openDatabase({ dialect: 'sqlite', file: backup }, log);
    expect(await listTables(copy.queries)).not.toContain('added');
    const { rows } = await sql`select id from teams order by id`.execute(copy.queries);
    expect(rows).toEqual([{ id: 'team-1' }, { id: 'team-2' }]);
    await copy.close();
  });
});

describeEachDatabase('the table of repositories', (open) => {
  async function openWithOrganization(): Promise<Database> {
    const database = await open();
    await database.queries
      .insertInto('organizations')
      .values({ id: 'o', slug: 'o', name: 'o', created_at: 1 })
      .execute();
    return database;
  }

  it('never gives a repository number twice', async () => {
    const database = await openWithOrganization();
    const first = await addRepository(database, 'a', null);
    await database.queries.deleteFrom('repositories').execute();
    expect(await addRepository(database, 'b', null)).toBeGreaterThan(first);
  });

  it('holds one branch of a source once per organization, the default branch included', async () => {
    const database = await openWithOrganization();
    await addRepository(database, 'a', null);
    await addRepository(database, 'b', 'main');
    await expect(addRepository(database, 'c', null)).rejects.toThrow(/unique/i);
    await expect(addRepository(database, 'd', 'main')).rejects.toThrow(/unique/i);
    await expect(addRepository(database, 'a', 'other')).rejects.toThrow(/unique/i);
  });
});

async function addRepository(database: Database, name: string, branch: string | null): Promise<number> {
  const row: Insertable<RepositoryRow> = {
    id: name,
    organization_id: 'o',
    name,
    source: 'https://host.test/r',
    source_kind: 'https',
    branch,
    further_branches: '[]',
    indexed_branches: '[]',
    state: 'queued',
    state_changed_at: 1,
    index_generation: 0,
    files: 0,
    bytes: 0,
    skipped: '{}',
    left_out_branches: '{}',
    created_at: 1,
  };
  const { number } = await database.queries
    .insertInto('repositories')
    .values(row)
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
}
