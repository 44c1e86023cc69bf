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

/** Further jobs of the same task and lane as a claimed one, as many as its task's batch has room for. */
export function restOfBatch(claim: Claim, head: ClaimedJob, now: RawBuilder<number>): RawBuilder<unknown> {
  const inLane = head.lane === null ? sql`j.lane is null` : sql`j.lane = ${head.lane}`;
  return sql`from jobs j where ${inLane} and ${isDue({ tasks: [head.task], now })}
    order by ${claimOrder} limit ${batchSize(claim, head) - 1}`;
}

/** Takes them under the lease that is held already. @param which a condition on rows of `jobs` */
export async function takeUnderLease(
  queries: Queries,
  { leaseMs }: Claim,
  head: ClaimedJob,
  now: RawBuilder<number>,
  which: RawBuilder<boolean>,
): Promise<readonly ClaimedJob[]> {
  const { rows } = await sql<Omit<ClaimedJob, 'fence'>>`
    update jobs set state = 'running', lease_token = ${head.lease_token}, lease_until = ${later(now, leaseMs)},
      attempts = attempts + 1
    where ${which} returning ${claimedColumns}`.execute(queries);
  return inClaimOrder(rows.map((row) => ({ ...row, fence: head.fence })));
}
