import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { silentLog } from '../silent-log.ts';
import { sampleMigrations as migrations } from './sample-migrations.ts';

/**
 * Applies the sample migrations in a separate process and prints the applied ids. Argument: database options as JSON.
 */
const [, , options = '{}'] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const { applied } = await migrateToLatest(database, { migrations, log: silentLog });
await database.close();
process.stdout.write(JSON.stringify(applied));
