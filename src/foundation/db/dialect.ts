import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
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
