import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import { databaseUnavailable, explainLoss } from './lost-connection.ts';

/** The dialect with every statement's and connection's loss told as `Unavailable`, in one place for all queries. */
export function guardedDialect(dialect: Dialect): Dialect {
  return {
    createDriver: () => guardedDriver(dialect.createDriver()),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  };
}

interface GuardedConnection extends DatabaseConnection {
  /** The driver's own, which it knows again. */
  readonly inner: DatabaseConnection;
}

function guardedDriver(driver: Driver): Driver {
  return {
    init: (options) => driver.init(options),
    // Whatever keeps a connection from being opened (a changed password alike), the caller can only come back.
    acquireConnection: (options) =>
      driver.acquireConnection(options).then(guardedConnection, (error: unknown) => {
        throw databaseUnavailable(error);
      }),
    beginTransaction: (connection, settings) => explained(driver.beginTransaction(own(connection), settings)),
    commitTransaction: (connection) => explained(driver.commitTransaction(own(connection))),
    rollbackTransaction: (connection) => explained(driver.rollbackTransaction(own(connection))),
    releaseConnection: (connection, options) => driver.releaseConnection(own(connection), options),
    destroy: (options) => driver.destroy(options),
  };
}

function guardedConnection(inner: DatabaseConnection): GuardedConnection {
  return {
    inner,
    executeQuery: (query, options) => explained(inner.executeQuery(query, options)),
    streamQuery: (query, chunkSize, options) => inner.streamQuery(query, chunkSize, options),
  };
}

async function explained<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw explainLoss(error);
  }
}

function own(connection: DatabaseConnection): DatabaseConnection {
  return (connection as GuardedConnection).inner;
}
