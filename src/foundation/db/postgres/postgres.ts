import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely';
import pg from 'pg';
import { Unavailable } from '../../kernel/errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Database, DatabaseOptions } from '../database.ts';
import type { DerivedTables } from '../derived/derived-tables.ts';
import { kyselyDatabase } from '../kysely-database.ts';
import { describeWeakness, readDurability } from '../sqlite/durability.ts';
import type { Tables } from '../tables.ts';
import { listen } from './listen.ts';
import { explainConnectError } from './postgres-errors.ts';

type PostgresOptions = Extract<DatabaseOptions, { dialect: 'postgres' }>;

const int8: number = pg.types.builtins.INT8;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const idleInTransactionTimeoutMs = 15_000;

export async function openPostgres(options: PostgresOptions, log: Logger): Promise<Database> {
  const database = connect<Tables>(options, log);
  try {
    const weakness = describeWeakness(await readDurability(database.queries));
    if (weakness !== '') log.warn(`Postgres may lose acknowledged work: ${weakness}`);
    return database;
  } catch (error) {
    await database.close();
    throw explainConnectError(error instanceof Unavailable ? error.cause : error, options.url);
  }
}

/** Opens the derived data for `openDerived`, which sends the first query. */
export async function openDerivedPostgres(
  options: PostgresOptions,
  log: Logger,
  schema: string,
): Promise<Database<DerivedTables>> {
  return connect(options, log, schema);
}

function connect<Schema>(options: PostgresOptions, log: Logger, derivedSchema?: string): Database<Schema> {
  const { url, directUrl } = options;
  const pool = openPool(options, url, options.poolSize, log);
  const notifications = listen(() => new pg.Client(clientOptions(options, directUrl ?? url)), log);
  return kyselyDatabase(
    {
      dialect: 'postgres',
      ...(derivedSchema === undefined
        ? { kysely: new PostgresDialect({ pool }) }
        : { kysely: new AsyncCommitPostgresDialect({ pool }), schema: derivedSchema }),
      ...(directUrl === undefined
        ? {}
        : { direct: () => new PostgresDialect({ pool: openPool(options, directUrl, 1, log) }) }),
      subscribe: (channel, onChange) => notifications.subscribe(channel, onChange),
      beforeClose: () => notifications.close(),
    },
    log,
  );
}

function openPool(options: PostgresOptions, url: string, max: number, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    ...clientOptions(options, url),
    max,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    types: { getTypeParser },
  });
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'idle Postgres connection lost'));
  // The pool only listens to idle connections. The next statement reports one that breaks between two statements.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function clientOptions(options: PostgresOptions, url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  };
}

/**
 * Parses int8 as a number: it holds milliseconds and counters, both below 2^53. By default the driver returns text.
 */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format);
}

/**
 * A dialect for derived data, which can be rebuilt: a commit does not wait for the disk. This is set per transaction
 * rather than per session, because a pooler may share the session with transactions of the primary database.
 */
class AsyncCommitPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new AsyncCommitPostgresDriver(this.#config);
  }
}

class AsyncCommitPostgresDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin; set local synchronous_commit = off'));
  }
}
