import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely';
import pg from 'pg';
import { Unavailable } from '../kernel/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, DatabaseOptions } from './database.ts';
import type { DerivedTables } from './derived-tables.ts';
import { describeWeakness, readDurability } from './durability.ts';
import { kyselyDatabase } from './kysely-database.ts';
import { listen } from './listen.ts';
import { explainConnectFault } from './postgres-faults.ts';
import type { Tables } from './tables.ts';

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
    throw explainConnectFault(error instanceof Unavailable ? error.cause : error, options.url);
  }
}

/** For `openDerived`, which asks the first query. */
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
  const news = listen(() => new pg.Client(clientOptions(options, directUrl ?? url)), log);
  return kyselyDatabase(
    {
      dialect: 'postgres',
      ...(derivedSchema === undefined
        ? { kysely: new PostgresDialect({ pool }) }
        : { kysely: new UnhurriedPostgresDialect({ pool }), schema: derivedSchema }),
      ...(directUrl === undefined
        ? {}
        : { direct: () => new PostgresDialect({ pool: openPool(options, directUrl, 1, log) }) }),
      subscribe: (channel, onNews) => news.subscribe(channel, onNews),
      closing: () => news.close(),
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
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'idle Postgres connection lost'));
  // The pool listens to idle ones alone. One that breaks in use, between two statements, says so at its next.
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

/** int8 holds milliseconds and counters, both below 2^53; the driver would give them as text. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format);
}

/**
 * For derived data, which can be made again: a commit does not wait for the disk. Said in each transaction and never
 * of the session, which a pooler may hand on to a transaction of the truth.
 */
class UnhurriedPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new UnhurriedPostgresDriver(this.#config);
  }
}

class UnhurriedPostgresDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin; set local synchronous_commit = off'));
  }
}
