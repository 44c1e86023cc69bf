import { PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Dialect, Queries } from './database.ts';

/** Which SQL the connection speaks, for the few statements that have two forms. */
export function dialectOf(queries: Queries): Dialect {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/**
 * Wakes the subscribers of `channel` when the transaction commits. Nothing to do on SQLite, where every commit
 * is news.
 */
export async function announce(tx: Queries, channel: string): Promise<void> {
  if (dialectOf(tx) === 'postgres') await sql`select ${notification(channel)}`.execute(tx);
}

/** The same as a column of a statement on Postgres, which saves a round trip; told once a transaction. */
export function notification(channel: string): RawBuilder<unknown> {
  return sql`pg_notify(${channel}, '')`;
}

/** Keeps every other transaction from changing the rows until this one ends; on SQLite its being one does so. */
export function forUpdate<Schema, Table extends keyof Schema, Row>(
  tx: Queries,
  query: SelectQueryBuilder<Schema, Table, Row>,
): SelectQueryBuilder<Schema, Table, Row> {
  return dialectOf(tx) === 'postgres' ? query.forUpdate() : query;
}

/** The same beside others who only keep the rows as they are. */
export function forShare<Schema, Table extends keyof Schema, Row>(
  tx: Queries,
  query: SelectQueryBuilder<Schema, Table, Row>,
): SelectQueryBuilder<Schema, Table, Row> {
  return dialectOf(tx) === 'postgres' ? query.forShare() : query;
}
