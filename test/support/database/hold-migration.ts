import { sql } from 'kysely';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../../src/foundation/db/migrations/migrate.ts';
import type { Migration } from '../../../src/foundation/db/migrations/migration.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { silentLog } from '../silent-log.ts';

/** Starts a migration that prints a line and then blocks forever. Argument: database options as JSON. */
const [, , options = '{}'] = process.argv;
const held: Migration = {
  id: '0001-held',
  up: async (db) => {
    await sql`create table half (id text)`.execute(db);
    // Outside of a transaction its statements are only compiled, for its checksum.
    if (!db.isTransaction) return;
    process.stdout.write('in the middle\n');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
};
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
await migrateToLatest(database, { migrations: { list: [held], checksums: {} }, log: silentLog });
