import type { Logger } from '../telemetry/logger.ts';
import type { Database, DatabaseOptions } from './database.ts';

/**
 * Opens the database and verifies the connection. Only the required driver is loaded.
 * @throws NotConfigured for a file that cannot be a database and for refused credentials, Unavailable
 * `database_unreachable` when Postgres does not respond within 5 s
 */
export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  if (options.dialect === 'sqlite') {
    const { openSqlite } = await import('./sqlite/sqlite.ts');
    return openSqlite(options, log);
  }
  const { openPostgres } = await import('./postgres/postgres.ts');
  return openPostgres(options, log);
}
