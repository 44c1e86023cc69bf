import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { claimOrder, isDue } from './claim-candidates.ts';
import type { Claim, ClaimedJob } from './claimed-job.ts';
import { later } from './queue-time.ts';

/** Of the changed row. */
export const claimedColumns = sql`jobs.id, jobs.task, jobs.lane, jobs.priority, jobs.run_at, jobs.payload,
  jobs.attempts, jobs.max_attempts, jobs.trace_context, jobs.lease_token`;

/** A statement that changes rows returns them in no order. */
export function inClaimOrder(jobs: readonly ClaimedJob[]): readonly ClaimedJob[] {
  return jobs.toSorted((a, b) => b.priority - a.priority || a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
}

export function batchSize({ batches }: Claim, { task }: Pick<ClaimedJob, 'task'>): number {
  return batches?.get(task) ?? 1;
}

/** Takes further jobs of the same task and lane under the lease of a claimed one, as many as its task's batch has room for. */
export async function takeMore(
  queries: Queries,
  claim: Claim,
  head: ClaimedJob,
  now: RawBuilder<number>,
  skipLocked: RawBuilder<unknown>,
): Promise<readonly ClaimedJob[]> {
  const inLane = head.lane === null ? sql`j.lane is null` : sql`j.lane = ${head.lane}`;
  const { rows } = await sql<Omit<ClaimedJob, 'fence'>>`
    with more as materialized (
      select j.id from jobs j where ${inLane} and ${isDue({ tasks: [head.task], now })}
      order by ${claimOrder} limit ${batchSize(claim, head) - 1} ${skipLocked}
    )
    update jobs set state = 'running', lease_token = ${head.lease_token},
      lease_until = ${later(now, claim.leaseMs)}, attempts = attempts + 1
    where id in (select id from more)
    returning ${claimedColumns}`.execute(queries);
  return inClaimOrder(rows.map((row) => ({ ...row, fence: head.fence })));
}
