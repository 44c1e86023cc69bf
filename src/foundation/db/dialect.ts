import { PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Dialect, Queries } from './database.ts';

/** Returns the dialect of the connection, for the few statements that differ. */
export function dialectOf(queries: Queries): Dialect {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/**
 * Notifies the subscribers of `channel` when the transaction commits. Does nothing on SQLite, where every commit
 * notifies.
 */
export async function announce(tx: Queries, channel: string): Promise<void> {
  if (dialectOf(tx) === 'postgres') await sql`select ${notification(channel)}`.execute(tx);
}

/**
 * Returns the notification as a column of a Postgres statement, which saves a round trip. It is delivered once per
 * transaction.
 */
export function notification(channel: string): RawBuilder<unknown> {
  return sql`pg_notify(${channel}, '')`;
}

/**
 * Locks the rows of a query against changes until the transaction ends. Not needed on SQLite, where write
 * transactions exclude each other.
 */
export function forUpdate<Schema, Table extends keyof Schema, Row>(
  tx: Queries,
  query: SelectQueryBuilder<Schema, Table, Row>,
): SelectQueryBuilder<Schema, Table, Row> {
  return dialectOf(tx) === 'postgres' ? query.forUpdate() : query;
}

/** Like `forUpdate`, but with a shared lock. */
export function forShare<Schema, Table extends keyof Schema, Row>(
  tx: Queries,
  query: SelectQueryBuilder<Schema, Table, Row>,
): SelectQueryBuilder<Schema, Table, Row> {
  return dialectOf(tx) === 'postgres' ? query.forShare() : query;
}
