import { sql } from 'kysely';
import { NotConfigured } from '../../config/config-error.ts';
import { errorCode } from '../../kernel/error-code.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Database, DatabaseOptions } from '../database.ts';
import { derivedSchema, derivedVersion, readDerivedVersion, recreateDerived } from './derived-schema.ts';
import type { DerivedTables } from './derived-tables.ts';

export type DerivedDatabase = Database<DerivedTables>;

/** Key of the lock: that of the migration lock plus one, so that the two are independent. */
const lockKey = 0x6f72_6763_7479;

/**
 * Opens the store of derived data: a separate file on SQLite, so that bulk writes never hold the lock that a webhook
 * waits for, and a separate schema on Postgres. No transaction spans it and the primary database. Data written by
 * another version of this program is dropped and the tables are created again, in one transaction; several processes
 * may do so concurrently.
 * @throws the errors of `openDatabase`
 */
export async function openDerived(options: DatabaseOptions, log: Logger): Promise<DerivedDatabase> {
  const database = await open(options, log);
  try {
    await ensureVersion(database, log);
    return database;
  } catch (error) {
    await database.close();
    throw mayNotCreate(error) ? noSchema(error) : error;
  }
}

async function open(options: DatabaseOptions, log: Logger): Promise<DerivedDatabase> {
  if (options.dialect === 'sqlite') {
    const { openDerivedSqlite } = await import('../sqlite/sqlite.ts');
    return openDerivedSqlite(options.file, log);
  }
  const { openDerivedPostgres } = await import('../postgres/postgres.ts');
  return openDerivedPostgres(options, log, derivedSchema);
}

async function ensureVersion({ queries, dialect, transaction }: DerivedDatabase, log: Logger): Promise<void> {
  if ((await readDerivedVersion(queries, dialect)) === derivedVersion) return;
  await transaction(async (tx) => {
    // SQLite holds the lock already. Another process may have recreated and filled the store meanwhile.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
    const version = await readDerivedVersion(tx, dialect);
    if (version === derivedVersion) return;
    await recreateDerived(tx, dialect, Date.now());
    if (version !== undefined)
      log.info({ from: version, to: derivedVersion }, 'derived data will be rebuilt');
  });
}

/** SQLSTATE 42501, insufficient_privilege. */
function mayNotCreate(error: unknown): boolean {
  return errorCode(error) === '42501';
}

function noSchema(cause: unknown): NotConfigured {
  return new NotConfigured(
    `The Postgres user of DATABASE_URL may not create the schema "${derivedSchema}". As an owner of the database, run: ` +
      `create schema ${derivedSchema} authorization <that user>.`,
    { cause },
  );
}
