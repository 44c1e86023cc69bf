import { sql } from 'kysely';
import { NotConfigured } from '../config/config-error.ts';
import { errorCode } from '../kernel/error-code.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { derivedSchema, derivedVersion, makeDerivedAnew, readDerivedVersion } from './derived-schema.ts';
import type { DerivedTables } from './derived-tables.ts';

export type DerivedDatabase = Database<DerivedTables>;

/** "orgctx" as the migration lock has it, plus one: another thing to wait for. */
const lockKey = 0x6f72_6763_7479;

/**
 * Opens the store of what can be made again: a file of its own on SQLite, so that bulk writes never hold the lock that
 * a webhook waits for, and a schema of its own on Postgres. No transaction spans it and the truth. What another
 * version of this program wrote is dropped and the tables are made anew, in one transaction; several processes may do
 * so at once.
 * @throws what `openDatabase` throws
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
    const { openDerivedSqlite } = await import('./sqlite.ts');
    return openDerivedSqlite(options.file, log);
  }
  const { openDerivedPostgres } = await import('./postgres.ts');
  return openDerivedPostgres(options, log, derivedSchema);
}

async function ensureVersion({ queries, dialect, transaction }: DerivedDatabase, log: Logger): Promise<void> {
  if ((await readDerivedVersion(queries, dialect)) === derivedVersion) return;
  await transaction(async (tx) => {
    // SQLite has the lock already. Another process may have made it anew, and filled it, in the meantime.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
    const version = await readDerivedVersion(tx, dialect);
    if (version === derivedVersion) return;
    await makeDerivedAnew(tx, dialect, Date.now());
    log.info({ from: version ?? null, to: derivedVersion }, 'derived data is made anew');
  });
}

/** SQLSTATE 42501, insufficient_privilege. */
function mayNotCreate(error: unknown): boolean {
  return errorCode(error) === '42501';
}

function noSchema(cause: unknown): NotConfigured {
  return new NotConfigured(
    `The Postgres user of DATABASE_URL may not make the schema "${derivedSchema}". As an owner of the database run: ` +
      `create schema ${derivedSchema} authorization <that user>.`,
    { cause },
  );
}
