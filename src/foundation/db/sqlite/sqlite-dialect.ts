import { setTimeout as sleep } from 'node:timers/promises';
import type BetterSqlite3 from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { databaseBusy, isSqliteBusy } from '../retry-transaction.ts';
import { withStatementCache } from './statement-cache.ts';

/**
 * Time that a write waits for the lock of another process, in milliseconds. Providers of webhooks wait 5 s for an
 * answer.
 */
const defaultLockWaitMs = 4_000;
const firstDelayMs = 1;
const maxDelayMs = 25;

/**
 * A dialect of one connection whose transactions begin immediate. Kysely begins deferred ones: a deferred transaction
 * that reads and then writes fails with SQLITE_BUSY if another process wrote in between; an immediate one holds the
 * write lock from its start. While another process holds that lock, writes are tried again here, without the
 * connection, so that reads go on. The busy_timeout of the connection must be 0: SQLite sleeps in it and stops the
 * event loop.
 */
export class WaitingSqliteDialect extends SqliteDialect {
  readonly #connection: BetterSqlite3.Database;
  readonly #database: SqliteDatabase;
  readonly #lockWaitMs: number;

  constructor(connection: BetterSqlite3.Database, lockWaitMs = defaultLockWaitMs) {
    const database = withStatementCache(connection);
    super({ database });
    this.#connection = connection;
    this.#database = database;
    this.#lockWaitMs = lockWaitMs;
  }

  override createDriver(): SqliteDriver {
    return new WaitingSqliteDriver(this.#connection, this.#database, this.#lockWaitMs);
  }

  override createAdapter(): SqliteAdapter {
    return new SharedConnectionAdapter();
  }
}

/** Lets Kysely acquire the connection for several callers: the driver gives them turns. */
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** The connection as one caller sees it. */
interface Session extends DatabaseConnection {
  /** Ends the turn of the current transaction; absent outside of transactions. */
  endTurn?: () => void;
}

class WaitingSqliteDriver extends SqliteDriver {
  readonly #connection: BetterSqlite3.Database;
  readonly #lockWaitMs: number;
  /** The use of the connection: for one statement, or for one transaction from its begin to its end. */
  readonly #use = new Turns();
  /** The waiting for the lock of another process: in order of arrival, and only the first one tries again. */
  readonly #waiting = new Turns();

  constructor(connection: BetterSqlite3.Database, database: SqliteDatabase, lockWaitMs: number) {
    super({ database });
    this.#connection = connection;
    this.#lockWaitMs = lockWaitMs;
  }

  override async acquireConnection(): Promise<Session> {
    const inner = await super.acquireConnection();
    const session: Session = {
      executeQuery: (query) =>
        session.endTurn === undefined
          ? this.#whenUnlocked(() => this.#inTurn(() => inner.executeQuery(query)))
          : inner.executeQuery(query),
      streamQuery: (query, chunkSize) => inner.streamQuery(query, chunkSize),
    };
    return session;
  }

  override async beginTransaction(session: Session): Promise<void> {
    const inner = await super.acquireConnection();
    await this.#whenUnlocked(async () => {
      const endTurn = await this.#use.take();
      try {
        await inner.executeQuery(CompiledQuery.raw('begin immediate'));
        session.endTurn = endTurn;
      } catch (error) {
        endTurn();
        throw error;
      }
    });
  }

  /** SQLite itself rolls back on some errors, such as a full disk; the error of a second rollback would hide them. */
  override async rollbackTransaction(session: Session): Promise<void> {
    if (this.#connection.inTransaction) await super.rollbackTransaction(session);
  }

  override async releaseConnection(session?: Session): Promise<void> {
    session?.endTurn?.();
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const endTurn = await this.#use.take();
    try {
      return await run();
    } finally {
      endTurn();
    }
  }

  /** Runs a statement again while another process holds the lock. @throws Unavailable `database_busy` */
  async #whenUnlocked<T>(run: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#lockWaitMs;
    try {
      return await run();
    } catch (error) {
      if (!isSqliteBusy(error)) throw error;
    }
    const endTurn = await this.#waiting.take();
    try {
      for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
        try {
          return await run();
        } catch (error) {
          if (!isSqliteBusy(error)) throw error;
          if (performance.now() >= deadline) throw databaseBusy(error);
        }
        await sleep(delayMs);
      }
    } finally {
      endTurn();
    }
  }
}

/** Gives turns to callers, in order of arrival. */
class Turns {
  #last = Promise.resolve();

  /** Resolves when all earlier turns have ended, with the function that ends this one. */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}
