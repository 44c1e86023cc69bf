import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A connection or a transaction: what store functions take. */
export type Queries = Kysely<Tables>;

/** An open relational database, of the truth unless said otherwise. A resource: whoever opens it closes it. */
export interface Database<Schema = Tables> {
  readonly dialect: Dialect;
  readonly queries: Kysely<Schema>;
  /**
   * Runs `work` in one write transaction (BEGIN IMMEDIATE on SQLite); busy, deadlock and serialization faults are
   * retried here and nowhere else, so `work` may run more than once. Nothing but queries may be awaited inside:
   * on SQLite a transaction holds the process's only connection.
   */
  transaction<T>(work: (tx: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Runs `work` on one connection that no pooler shares out between transactions, so that a lock or a setting of the
   * session holds until the end of `work`.
   */
  session<T>(work: (connection: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Calls `onNews` soon after a commit that announced `channel` (`announce`), of this process or another; on SQLite
   * after any commit. It may be called for nothing and, when a connection breaks, late: poll beside it.
   * Returns the function that ends the subscription.
   */
  subscribe(channel: string, onNews: () => void): () => void;
  close(): Promise<void>;
}

export type Dialect = 'sqlite' | 'postgres';

/** Which database, and how it is reached. */
export type DatabaseOptions =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | {
      readonly dialect: 'postgres';
      /** With credentials; never shown. */
      readonly url: string;
      /** Past a transaction-mode pooler, for LISTEN and the lock of migrations; `url` where absent. */
      readonly directUrl?: string;
      readonly poolSize: number;
      readonly applicationName: string;
    };
