import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely';
import type { Logger } from '../telemetry/logger.ts';
import { databaseUnavailable, explainLoss } from './lost-connection.ts';
import { retryTransaction } from './retry-transaction.ts';

/**
 * The dialect with every statement's and connection's loss told as `Unavailable`, in one place for all queries. A
 * statement that stands in no transaction is one by itself, so its transient faults are met as those of transactions
 * are.
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
  /** The driver's own, which it knows again. */
  readonly inner: DatabaseConnection;
  inTransaction: boolean;
}

function guardedDriver(driver: Driver, log: Logger): Driver {
  return {
    init: (options) => driver.init(options),
    // Whatever keeps a connection from being opened (a changed password alike), the caller can only come back.
    acquireConnection: (options) =>
      driver.acquireConnection(options).then(
        (inner) => guardedConnection(inner, log),
        (error: unknown) => {
          throw databaseUnavailable(error);
        },
      ),
    async beginTransaction(connection, settings) {
      await explained(driver.beginTransaction(guarded(connection).inner, settings));
      guarded(connection).inTransaction = true;
    },
    commitTransaction: (connection) => explained(driver.commitTransaction(ended(connection))),
    rollbackTransaction: (connection) => explained(driver.rollbackTransaction(ended(connection))),
    releaseConnection: (connection, options) => driver.releaseConnection(guarded(connection).inner, options),
    destroy: (options) => driver.destroy(options),
  };
}

/** The driver's own, which stands in no transaction from now on. */
function ended(connection: DatabaseConnection): DatabaseConnection {
  guarded(connection).inTransaction = false;
  return guarded(connection).inner;
}

function guardedConnection(inner: DatabaseConnection, log: Logger): GuardedConnection {
  const connection: GuardedConnection = {
    inner,
    inTransaction: false,
    executeQuery: <Row>(query: CompiledQuery, options?: AbortableOperationOptions) => {
      const run = () => inner.executeQuery<Row>(query, options);
      return explained(connection.inTransaction ? run() : retryTransaction(run, log));
    },
    streamQuery: (query, chunkSize, options) => inner.streamQuery(query, chunkSize, options),
  };
  return connection;
}

async function explained<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw explainLoss(error);
  }
}

function guarded(connection: DatabaseConnection): GuardedConnection {
  return connection as GuardedConnection;
}
