import { type RawBuilder, sql } from 'kysely';
import type { Dialect, Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Clock } from '../kernel/clock.ts';

/**
 * The queue's present, in milliseconds, as an expression for its statements. One clock per deployment: that of the
 * database on Postgres, since hosts drift, and that of the process on SQLite, where there is one host.
 */
export function queueNow(dialect: Dialect, clock: Clock): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`
    : sql<number>`${clock()}`;
}

export function later(now: RawBuilder<number>, ms: number): RawBuilder<number> {
  return sql<number>`${now} + ${Math.round(ms)}`;
}

/** The queue's present as a value, ms since the epoch, for times that are compared with it. */
export async function readQueueTime(queries: Queries, clock: Clock): Promise<number> {
  const { now } = await queries
    .selectNoFrom(queueNow(dialectOf(queries), clock).as('now'))
    .executeTakeFirstOrThrow();
  return now;
}
