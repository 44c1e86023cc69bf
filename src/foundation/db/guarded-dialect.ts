import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely';
import type { Logger } from '../telemetry/logger.ts';
import { databaseUnavailable, explainLoss } from './postgres/lost-connection.ts';
import { refuseNul } from './refuse-nul.ts';
import { retryTransaction } from './retry-transaction.ts';

/**
 * Wraps a dialect so that a lost connection is reported as `Unavailable` and a NUL in a text is refused, in one place
 * for all queries. A statement
 * outside a transaction is a transaction by itself, so its transient errors are retried like those of transactions.
 */
export function guardedDialect(dialect: Dialect, log: Logger): Dialect {
  return {
    createDriver: () => guardedDriver(dialect.createDriver(), log),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  };
}

interface GuardedConnection extends DatabaseConnection {
  /** The connection of the wrapped driver. */
  readonly inner: DatabaseConnection;
  inTransaction: boolean;
}

function guardedDriver(driver: Driver, log: Logger): Driver {
  return {
    init: (options) => driver.init(options),
    // Any failure to open a connection (including a changed password) is reported as unavailable: the caller can only
    // retry.
    acquireConnection: (options) =>
      driver.acquireConnection(options).then(
        (inner) => guardedConnection(inner, log),
        (error: unknown) => {
          throw databaseUnavailable(error);
        },
      ),
    async beginTransaction(connection, settings) {
      await withExplainedLoss(driver.beginTransaction(guarded(connection).inner, settings));
      guarded(connection).inTransaction = true;
    },
    commitTransaction: (connection) => withExplainedLoss(driver.commitTransaction(ended(connection))),
    rollbackTransaction: (connection) => withExplainedLoss(driver.rollbackTransaction(ended(connection))),
    releaseConnection: (connection, options) => driver.releaseConnection(guarded(connection).inner, options),
    destroy: (options) => driver.destroy(options),
  };
}

/** Marks the transaction as ended and returns the connection of the wrapped driver. */
function ended(connection: DatabaseConnection): DatabaseConnection {
  guarded(connection).inTransaction = false;
  return guarded(connection).inner;
}

function guardedConnection(inner: DatabaseConnection, log: Logger): GuardedConnection {
  const connection: GuardedConnection = {
    inner,
    inTransaction: false,
    executeQuery: async <Row>(query: CompiledQuery, options?: AbortableOperationOptions) => {
      refuseNul(query.parameters);
      const run = () => inner.executeQuery<Row>(query, options);
      return withExplainedLoss(connection.inTransaction ? run() : retryTransaction(run, log));
    },
    streamQuery: (query, chunkSize, options) => {
      refuseNul(query.parameters);
      return inner.streamQuery(query, chunkSize, options);
    },
  };
  return connection;
}

async function withExplainedLoss<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw explainLoss(error);
  }
}

function guarded(connection: DatabaseConnection): GuardedConnection {
  return connection as GuardedConnection;
}
