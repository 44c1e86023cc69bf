import { type RawBuilder, sql } from 'kysely';
import type { Claim } from './claimed-job.ts';

/** The conditions that every query for candidates applies. */
export interface CandidateQuery {
  /** Names of the tasks that the caller can run. */
  readonly tasks: readonly string[];
  readonly suspects: Claim['suspects'];
  readonly now: RawBuilder<number>;
  readonly limit: number;
  /** SQL clause that skips rows locked by another claim; empty on SQLite, where no other claim can hold one. */
  readonly skipLocked: RawBuilder<unknown>;
}

/** The order of claims, for rows aliased as `j`: priority, then due time, then age. */
export const claimOrder = sql`j.priority desc, j.run_at, j.id`;

/**
 * The order of claims among jobs without a lane, or of one lane. It includes the lane so that both databases use the
 * index of lanes.
 */
export const orderInLane = sql`j.lane, ${claimOrder}`;

/** Returns the condition that a job can be claimed now, for rows aliased as `j`. */
export function isDue({
  tasks,
  now,
  suspects,
}: Pick<CandidateQuery, 'tasks' | 'now' | 'suspects'>): RawBuilder<boolean> {
  const due = sql<boolean>`j.state = 'ready' and j.run_at <= ${now} and j.task in (${sql.join(tasks)})`;
  if (suspects === undefined) return due;
  return suspects === 'only'
    ? sql`${due} and j.lost_alone is not null`
    : sql`${due} and j.lost_alone is null`;
}

/** Number of rows that a claim reads from the head of the queue before it searches lane by lane. */
export function nearWindow({ limit }: Pick<CandidateQuery, 'limit'>): number {
  return Math.max(20, 4 * limit);
}

/**
 * Selects the ids of all jobs that can be claimed: the first job of every free lane, and the first jobs without a
 * lane. It runs one search per lane, so that a hundred thousand jobs of a busy lane cost as much as one.
 */
export function allCandidates(query: CandidateQuery): RawBuilder<{ id: string }> {
  return sql`
    with recursive walk(lane) as (
      select min(j.lane) from jobs j where j.state = 'ready' and j.lane is not null
      union all
      select (select min(j.lane) from jobs j where j.state = 'ready' and j.lane > walk.lane)
      from walk where walk.lane is not null
    )
    select head.id from (
      select (
        select j.id from jobs j where j.lane = walk.lane and ${isDue(query)} order by ${claimOrder} limit 1
      ) as id
      from walk where walk.lane is not null and ${isFree(query, sql`walk.lane`)}
    ) as head where head.id is not null
    union all
    select free.id from (
      select j.id from jobs j where j.lane is null and ${isDue(query)}
      order by ${orderInLane} limit ${query.limit} ${query.skipLocked}
    ) as free`;
}

/** Returns the condition that no worker holds the lane. */
export function isFree({ now }: Pick<CandidateQuery, 'now'>, lane: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`not exists (select 1 from lanes where lanes.lane = ${lane} and lanes.lease_until > ${now})`;
}
