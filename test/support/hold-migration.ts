import { sql } from 'kysely';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrate.ts';
import type { Migration } from '../../src/foundation/db/migration.ts';
import { migrationChecksum } from '../../src/foundation/db/migration-checksum.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { silentLog } from './silent-log.ts';

/** Migrates, says so in the middle of it and never gets any further. Argument: database options as JSON. */
const [, , options = '{}'] = process.argv;
const held: Migration = {
  id: '0001-held',
  up: async (db) => {
    await sql`create table half (id text)`.execute(db);
    if (!db.isTransaction) return;
    process.stdout.write('in the middle\n');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
};
const sums = {
  sqlite: await migrationChecksum(held, 'sqlite'),
  postgres: await migrationChecksum(held, 'postgres'),
};
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
await migrateToLatest(database, {
  log: silentLog,
  migrations: { list: [held], checksums: { [held.id]: sums } },
});
