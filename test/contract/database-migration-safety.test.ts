import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { checksums } from '../../migrations/checksums.ts';
import { migrations } from '../../migrations/index.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../../src/foundation/db/migrate.ts';
import type { Migration, MigrationSet } from '../../src/foundation/db/migration.ts';
import { migrationChecksum } from '../../src/foundation/db/migration-checksum.ts';
import { describeEachDatabase, openTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openReleased } from '../support/released-database.ts';
import { silentLog } from '../support/silent-log.ts';

const script = join(import.meta.dirname, '../support/migrate-once.ts');

async function withMore(migration: Migration): Promise<MigrationSet> {
  const sums = {
    sqlite: await migrationChecksum(migration, 'sqlite'),
    postgres: await migrationChecksum(migration, 'postgres'),
  };
  return { list: [...migrations, migration], checksums: { ...checksums, [migration.id]: sums } };
}

async function addMember(database: Database): Promise<void> {
  const row = { slug: 'o', name: 'o', created_at: 1 };
  await database.queries
    .insertInto('organizations')
    .values({ ...row, id: 'o' })
    .execute();
  await database.queries
    .insertInto('users')
    .values({ id: 'u', email: 'u', name: 'u', created_at: 1 })
    .execute();
  await database.queries
    .insertInto('memberships')
    .values({ organization_id: 'o', user_id: 'u', role: 'owner', created_at: 1 })
    .execute();
}

async function members(database: Database): Promise<number> {
  return (await database.queries.selectFrom('memberships').selectAll().execute()).length;
}

/** Takes every membership along, by its reference, where a person would have expected none to go. */
const losesMembers: Migration = {
  id: '9999-loses-members',
  up: async (db) => {
    await sql`create table marked (id text primary key)`.execute(db);
    await sql`delete from users`.execute(db);
  },
};

describeEachDatabase('a migration that would lose rows', (open) => {
  it('is refused with the table and the number, and leaves everything as before', async () => {
    const database = await open();
    await addMember(database);
    const set = await withMore(losesMembers);
    const lost = migrateToLatest(database, { log: silentLog, backup: false, migrations: set });
    await expect(lost).rejects.toThrow(/would lose 1 of 1 rows of (memberships|users): nothing was changed/);
    expect(await members(database)).toBe(1);
    expect(await schemaState(database, set)).toBe('older');
    expect(await schemaState(database)).toBe('current');
  });

  it('is applied when it says from which tables it takes them', async () => {
    const database = await open();
    await addMember(database);
    const set = await withMore({ ...losesMembers, takesRowsFrom: ['users', 'memberships'] });
    await migrateToLatest(database, { log: silentLog, backup: false, migrations: set });
    expect(await members(database)).toBe(0);
    expect(await schemaState(database, set)).toBe('current');
  });
});

describe('a migration on SQLite that leaves a row without what it refers to', () => {
  it('is refused, and leaves everything as before', async () => {
    const database = await openTestDatabase('sqlite');
    await addMember(database);
    const set = await withMore({
      id: '9999-dangling',
      up: async (db) => {
        // How a table is built anew goes wrong: its references are looked at late, and the commit would find nothing.
        await sql`create table badges (user_id text references users (id) deferrable initially deferred)`.execute(
          db,
        );
        await sql`insert into badges values ('nobody')`.execute(db);
      },
    });
    const dangling = migrateToLatest(database, { log: silentLog, backup: false, migrations: set });
    await expect(dangling).rejects.toThrow(/leaves rows of badges that refer to none of users/);
    expect(await schemaState(database)).toBe('current');
    await database.close();
  });
});

describe('the backup of a SQLite file before its first pending migration', () => {
  const released = async (): Promise<{ database: TestDatabase; file: string }> => {
    const database = await openReleased((options) => openTestDatabase('sqlite', options), '0001-initial');
    if (database.options.dialect !== 'sqlite') throw new Error('another dialect was opened');
    return { database, file: database.options.file };
  };
  const backups = (file: string) => readdirSync(dirname(file)).filter((name) => name.includes('.backup-'));

  it('is whole, with what still lay in the log, opens, and lies alone', async () => {
    const { database, file } = await released();
    await sql`update organizations set name = 'still in the log' where id = 'org-1'`.execute(
      database.queries,
    );
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const { backup = '' } = await migrateToLatest(database, { log: silentLog });
    expect(backups(file)).toHaveLength(1);
    const copy = new BetterSqlite3(backup, { readonly: true });
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(copy.prepare('select id from schema_migrations').pluck().all()).toEqual(['0001-initial']);
    expect(copy.prepare('select name from organizations order by id').pluck().all()).toEqual([
      'still in the log',
      "Beta's",
    ]);
    expect(copy.prepare('select count(*) from jobs').pluck().get()).toBe(3);
    copy.close();
    await database.close();
  });

  it('that does not fit on the disk stops the migration before anything is changed, and leaves no half of it', async () => {
    const { database, file } = await released();
    await sql`update users set name = ${'x'.repeat(600_000)} where id = 'user-1'`.execute(database.queries);
    await sql`pragma wal_checkpoint(truncate)`.execute(database.queries);
    await database.close();
    const before = readFileSync(file);
    // The limit on the size of files stands for a full disk: a write past 256 KiB fails (blocks of 512 bytes).
    const limited = promisify(execFile)('sh', [
      '-c',
      `trap '' XFSZ; ulimit -f 512; exec "$0" "$1" "$2"`,
      process.execPath,
      script,
      JSON.stringify({ dialect: 'sqlite', file }),
    ]);
    await expect(limited).rejects.toThrow(/so nothing was changed\. Make room for it/);
    expect(backups(file)).toEqual([]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
