import { PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { kyselyDatabase } from './kysely-database.ts';
import { listen } from './listen.ts';
import { explainConnectFault } from './postgres-faults.ts';

type PostgresOptions = Extract<DatabaseOptions, { dialect: 'postgres' }>;

const int8: number = pg.types.builtins.INT8;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const idleInTransactionTimeoutMs = 15_000;

export async function openPostgres(options: PostgresOptions, log: Logger): Promise<Database> {
  const pool = new pg.Pool({
    ...clientOptions(options, options.url),
    max: options.poolSize,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    types: { getTypeParser },
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'idle Postgres connection lost'));
  // The pool listens to idle ones alone. One that breaks in use, between two statements, says so at its next.
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await warnWhenNotDurable(pool, log);
  } catch (error) {
    await pool.end();
    throw explainConnectFault(error, options.url);
  }
  const news = listen(() => new pg.Client(clientOptions(options, options.directUrl ?? options.url)), log);
  return kyselyDatabase(
    {
      dialect: 'postgres',
      kysely: new PostgresDialect({ pool }),
      subscribe: (channel, onNews) => news.subscribe(channel, onNews),
      closing: () => news.close(),
    },
    log,
  );
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

async function warnWhenNotDurable(pool: pg.Pool, log: Logger): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; commit: string }>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  );
  const [settings] = rows;
  if (settings?.fsync === 'off' || settings?.commit === 'off') {
    log.warn(settings, 'Postgres may lose acknowledged work: fsync and synchronous_commit should be on');
  }
}
