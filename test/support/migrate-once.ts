import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { silentLog } from './silent-log.ts';

/** One migration as a process of its own; prints what it applied. Argument: database options as JSON. */
const [, , options = '{}'] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const { applied } = await migrateToLatest(database, { log: silentLog });
await database.close();
process.stdout.write(JSON.stringify(applied));
