import { type RawBuilder, sql } from 'kysely';

/** What the ways of finding candidates look for. */
export interface Wanted {
  /** Names of the tasks that the caller can run. */
  readonly tasks: readonly string[];
  readonly now: RawBuilder<number>;
  readonly limit: number;
  /** Passes over rows that another claim holds; empty where none can. */
  readonly skipLocked: RawBuilder<unknown>;
}

/** Priority first, then the time they were due, then their age. Of rows called `j`. */
export const claimOrder = sql`j.priority desc, j.run_at, j.id`;

/** The same among jobs of no lane, or of one. With the lane in it, both databases walk the index of lanes. */
export const orderInLane = sql`j.lane, ${claimOrder}`;

/** Of rows called `j`. */
export function isDue({ tasks, now }: Pick<Wanted, 'tasks' | 'now'>): RawBuilder<boolean> {
  return sql`j.state = 'ready' and j.run_at <= ${now} and j.task in (${sql.join(tasks)})`;
}

/** How far a claim looks from the beginning of the queue before it goes from lane to lane. */
export function nearWindow({ limit }: Pick<Wanted, 'limit'>): number {
  return Math.max(20, 4 * limit);
}

/**
 * Ids of all that may be taken: the first job of every free lane, and the first ones without a lane. Goes from lane to
 * lane by one search each, so that a hundred thousand jobs of a busy lane cost as much as one.
 */
export function allCandidates(wanted: Wanted): RawBuilder<{ id: string }> {
  return sql`
    with recursive walk(lane) as (
      select min(j.lane) from jobs j where j.state = 'ready' and j.lane is not null
      union all
      select (select min(j.lane) from jobs j where j.state = 'ready' and j.lane > walk.lane)
      from walk where walk.lane is not null
    )
    select head.id from (
      select (
        select j.id from jobs j where j.lane = walk.lane and ${isDue(wanted)} order by ${claimOrder} limit 1
      ) as id
      from walk where walk.lane is not null and ${isFree(wanted, sql`walk.lane`)}
    ) as head where head.id is not null
    union all
    select free.id from (
      select j.id from jobs j where j.lane is null and ${isDue(wanted)}
      order by ${orderInLane} limit ${wanted.limit} ${wanted.skipLocked}
    ) as free`;
}

/** Nobody has the lane. */
export function isFree({ now }: Pick<Wanted, 'now'>, lane: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`not exists (select 1 from lanes where lanes.lane = ${lane} and lanes.lease_until > ${now})`;
}
