import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../../../src/foundation/db/migrations/migrate.ts';
import type { Migration } from '../../../src/foundation/db/migrations/migration.ts';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import {
  sampleMigrations as migrations,
  openSample,
  sampleWith,
} from '../../support/database/sample-migrations.ts';
import { silentLog } from '../../support/silent-log.ts';

const script = join(import.meta.dirname, '../../support/database/migrate-once.ts');
const options = { log: silentLog, backup: false } as const;

async function countPeople(database: Database): Promise<number> {
  return (await sql`select id from people`.execute(database.queries)).rows.length;
}

/** Deletes every person through a foreign key, although its author expects to lose no rows. */
const losesPeople: Migration = {
  id: '0004-loses-people',
  up: async (db) => {
    await sql`create table marked (id text primary key)`.execute(db);
    await sql`delete from teams`.execute(db);
  },
};

describeEachDatabase('a migration that would delete rows', (open) => {
  it('is refused with the table and the number of rows, and changes nothing', async () => {
    const database = await openSample(open);
    const set = sampleWith(losesPeople);
    await expect(migrateToLatest(database, { ...options, migrations: set })).rejects.toThrow(
      /would lose 2 of 2 rows of (teams|people|notes|labels): nothing was changed/,
    );
    expect(await countPeople(database)).toBe(2);
    expect(await schemaState(database, set)).toBe('older');
    expect(await schemaState(database, migrations)).toBe('current');
  });

  it('is applied when it declares the tables that lose rows', async () => {
    const database = await openSample(open);
    const set = sampleWith({ ...losesPeople, takesRowsFrom: ['teams', 'people', 'notes', 'labels'] });
    await migrateToLatest(database, { ...options, migrations: set });
    expect(await countPeople(database)).toBe(0);
    expect(await schemaState(database, set)).toBe('current');
  });
});

describe('a migration on SQLite that leaves a dangling reference', () => {
  it('is refused and changes nothing', async () => {
    const database = await openSample((empty) => openTestDatabase('sqlite', empty));
    const set = sampleWith({
      id: '0004-dangling',
      up: async (db) => {
        // Rebuilding a table can cause this: its references are deferred, and a commit would not check them.
        await sql`create table pets (person_id text references people (id) deferrable initially deferred)`.execute(
          db,
        );
        await sql`insert into pets values ('nobody')`.execute(db);
      },
    });
    await expect(migrateToLatest(database, { ...options, migrations: set })).rejects.toThrow(
      /leaves rows of pets that refer to no row of people/,
    );
    expect(await schemaState(database, migrations)).toBe('current');
    await database.close();
  });
});

describe('the backup of a SQLite file before its first pending migration', () => {
  const openOlder = async (): Promise<{ database: TestDatabase; file: string }> => {
    const database = await openSample((empty) => openTestDatabase('sqlite', empty), '0001-people');
    if (database.options.dialect !== 'sqlite') throw new Error('another dialect was opened');
    return { database, file: database.options.file };
  };
  const backups = (file: string) => readdirSync(dirname(file)).filter((name) => name.includes('.backup-'));

  it('is one complete file that includes the write-ahead log', async () => {
    const { database, file } = await openOlder();
    await sql`update teams set name = 'still in the log' where id = 'team-1'`.execute(database.queries);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const { backup = '' } = await migrateToLatest(database, { migrations, log: silentLog });
    expect(backups(file)).toHaveLength(1);
    const copy = new BetterSqlite3(backup, { readonly: true });
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(copy.prepare('select id from schema_migrations').pluck().all()).toEqual(['0001-people']);
    expect(copy.prepare('select name from teams order by id').pluck().all()).toEqual([
      'still in the log',
      "Beta's",
    ]);
    expect(copy.prepare('select count(*) from notes').pluck().get()).toBe(2);
    copy.close();
    await database.close();
  });

  it('stops the migration before it changes anything when the disk is full, and leaves no partial backup', async () => {
    const { database, file } = await openOlder();
    await sql`update teams set name = ${'x'.repeat(600_000)} where id = 'team-1'`.execute(database.queries);
    await sql`pragma wal_checkpoint(truncate)`.execute(database.queries);
    await database.close();
    const before = readFileSync(file);
    // A limit on the size of files simulates a full disk: a write past 256 KiB fails (blocks of 512 bytes).
    const limited = promisify(execFile)('sh', [
      '-c',
      `trap '' XFSZ; ulimit -f 512; exec "$0" "$1" "$2"`,
      process.execPath,
      script,
      JSON.stringify({ dialect: 'sqlite', file }),
    ]);
    await expect(limited).rejects.toThrow(/so nothing was changed\. Free some disk space/);
    expect(backups(file)).toEqual([]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
