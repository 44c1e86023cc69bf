import { sql } from 'kysely';
import { NotConfigured } from '../../config/config-error.ts';
import { errorCode } from '../../kernel/error-code.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Database, DatabaseOptions } from '../database.ts';
import {
  type DerivedSchema,
  postgresSchema,
  readDerivedVersion,
  recreateDerived,
  versionOf,
} from './derived-schema.ts';
import type { DerivedTables } from './derived-tables.ts';

export interface DerivedDatabase extends Database<DerivedTables> {
  /** The version of the tables that this program expects. A process of another version may replace them. */
  readonly version: string;
}

/** Key of the lock: that of the migration lock plus one, so that the two are independent. */
const lockKey = 0x6f72_6763_7479;

/**
 * Opens the store of derived data: a separate file on SQLite, so that bulk writes never hold the lock that a webhook
 * waits for, and a separate schema on Postgres. No transaction spans it and the primary database. Data written by
 * another version of this program is dropped and the tables are created again, in one transaction; several processes
 * may do so concurrently.
 * @throws the errors of `openDatabase`
 */
export async function openDerived(
  options: DatabaseOptions,
  schemas: readonly DerivedSchema[],
  log: Logger,
): Promise<DerivedDatabase> {
  const database = await open(options, log);
  try {
    await ensureVersion(database, schemas, log);
    return { ...database, version: versionOf(schemas) };
  } catch (error) {
    await database.close();
    throw mayNotCreate(error) ? noSchema(error) : error;
  }
}

async function open(options: DatabaseOptions, log: Logger): Promise<Database<DerivedTables>> {
  if (options.dialect === 'sqlite') {
    const { openDerivedSqlite } = await import('../sqlite/sqlite.ts');
    return openDerivedSqlite(options.file, log);
  }
  const { openDerivedPostgres } = await import('../postgres/postgres.ts');
  return openDerivedPostgres(options, log, postgresSchema);
}

async function ensureVersion(
  { queries, dialect, transaction }: Database<DerivedTables>,
  schemas: readonly DerivedSchema[],
  log: Logger,
): Promise<void> {
  const expected = versionOf(schemas);
  if ((await readDerivedVersion(queries, dialect)) === expected) return;
  await transaction(async (tx) => {
    // SQLite holds the lock already. Another process may have recreated and filled the store meanwhile.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
    const version = await readDerivedVersion(tx, dialect);
    if (version === expected) return;
    await recreateDerived(tx, dialect, schemas);
    if (version !== undefined) log.info({ from: version, to: expected }, 'derived data will be rebuilt');
  });
}

/** SQLSTATE 42501, insufficient_privilege. */
function mayNotCreate(error: unknown): boolean {
  return errorCode(error) === '42501';
}

function noSchema(cause: unknown): NotConfigured {
  return new NotConfigured(
    `The Postgres user of DATABASE_URL may not create the schema "${postgresSchema}". As an owner of the database, run: ` +
      `create schema ${postgresSchema} authorization <that user>.`,
    { cause },
  );
}
