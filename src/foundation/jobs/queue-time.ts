import { type RawBuilder, sql } from 'kysely';
import type { Dialect, Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Clock } from '../kernel/clock.ts';

/**
 * Returns an SQL expression for the current time of the queue, in milliseconds. A deployment uses one clock: that of
 * the database on Postgres, since clocks of hosts drift, and that of the process on SQLite, where there is one host.
 */
export function queueNow(dialect: Dialect, clock: Clock): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`
    : sql<number>`${clock()}`;
}

export function later(now: RawBuilder<number>, ms: number): RawBuilder<number> {
  return sql<number>`${now} + ${Math.round(ms)}`;
}

/** Reads the current time of the queue, in milliseconds since the epoch. */
export async function readQueueTime(queries: Queries, clock: Clock): Promise<number> {
  const { now } = await queries
    .selectNoFrom(queueNow(dialectOf(queries), clock).as('now'))
    .executeTakeFirstOrThrow();
  return now;
}
