import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A connection or a transaction, the argument of store functions. */
export type Queries = Kysely<Tables>;

/** An open relational database; by default the primary one, not that of derived data. Its owner must close it. */
export interface Database<Schema = Tables> {
  readonly dialect: Dialect;
  readonly queries: Kysely<Schema>;
  /**
   * Runs `work` in one write transaction (BEGIN IMMEDIATE on SQLite). Busy, deadlock and serialization errors are
   * retried only here, so `work` may run more than once. Throws `Unavailable` (`database_busy`) if they persist. Only
   * queries may be awaited inside: on SQLite a transaction holds the only connection of the process.
   */
  transaction<T>(work: (tx: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Runs `work` on one connection that no pooler shares between transactions, so that a lock or a session setting
   * lasts until the end of `work`.
   */
  session<T>(work: (connection: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Calls `onChange` soon after a commit that announced `channel` (`announce`), in this process or another; on SQLite
   * after any commit. Calls may be spurious and, if a connection breaks, delayed, so callers must also poll. Returns
   * the function that ends the subscription.
   */
  subscribe(channel: string, onChange: () => void): () => void;
  close(): Promise<void>;
}

export type Dialect = 'sqlite' | 'postgres';

export interface SqliteOptions {
  readonly dialect: 'sqlite';
  readonly file: string;
  /** Time that a write waits for the lock of another process, in milliseconds. Default: 4 s. */
  readonly lockWaitMs?: number;
}

/** The kind of a database and its connection settings. */
export type DatabaseOptions =
  | SqliteOptions
  | {
      readonly dialect: 'postgres';
      /** URL with credentials; never shown. */
      readonly url: string;
      /** URL that bypasses a transaction-mode pooler, for LISTEN and the migration lock. Default: `url`. */
      readonly directUrl?: string;
      readonly poolSize: number;
      readonly applicationName: string;
    };
