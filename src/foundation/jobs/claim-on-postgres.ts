import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { allCandidates, claimOrder, isDue, nearCandidates, type Wanted } from './claim-candidates.ts';
import type { Claim, ClaimedJob, LeasedJobs } from './claimed-job.ts';
import { batchSize, claimedColumns, inClaimOrder, restOfBatch, takeUnderLease } from './claimed-rows.ts';
import { later, queueNow } from './queue-time.ts';

const skipLocked = sql`for update skip locked`;

/** A claim is one statement, so its transaction costs no round trip of its own; a batch is one more. */
export async function claimOnPostgres(
  { queries }: Database,
  claim: Claim,
  limit: number,
): Promise<readonly LeasedJobs[]> {
  const now = queueNow('postgres', claim.clock);
  const wanted: Wanted = { tasks: claim.tasks, now, limit, skipLocked };
  const near = await take(queries, claim, wanted, nearCandidates(wanted));
  const heads = near.length > 0 ? near : await take(queries, claim, wanted, allCandidates(wanted));
  return Promise.all(
    heads.map(async (head): Promise<LeasedJobs> => {
      if (batchSize(claim, head) === 1) return [head];
      return [head, ...(await takeRest(queries, claim, head, now))];
    }),
  );
}

/**
 * Locks rows before anything else: a row that another claim took since this statement began is passed over, or seen
 * as it is now. A lane is leased only by a job that this statement holds; where another claim has taken the lane in
 * between, its job is left.
 */
async function take(
  queries: Queries,
  { leaseMs }: Claim,
  wanted: Wanted,
  candidates: RawBuilder<{ id: string }>,
): Promise<readonly ClaimedJob[]> {
  const { now, limit } = wanted;
  const claimId = randomUUID();
  const { rows } = await sql<ClaimedJob & { fence: number | null }>`
    with candidate as materialized (${candidates}),
    locked as materialized (
      select j.id, j.lane from candidate join jobs j on j.id = candidate.id where ${isDue(wanted)}
      order by ${claimOrder} limit ${limit} for update of j skip locked
    ),
    leased as (
      insert into lanes (lane, lease_token, lease_until, fence)
      select lane, ${claimId} || '.' || id, ${later(now, leaseMs)}, 1 from locked where lane is not null order by lane
      on conflict (lane) do update set
        lease_token = excluded.lease_token, lease_until = excluded.lease_until, fence = lanes.fence + 1
      where lanes.lease_until is null or lanes.lease_until <= ${now}
      returning lane, fence
    )
    update jobs set state = 'running', lease_token = ${claimId} || '.' || jobs.id,
      lease_until = ${later(now, leaseMs)}, attempts = jobs.attempts + 1
    from locked left join leased on leased.lane = locked.lane
    where jobs.id = locked.id and (locked.lane is null or leased.lane is not null)
    returning ${claimedColumns}, leased.fence`.execute(queries);
  return inClaimOrder(rows.map(({ fence, ...job }) => ({ ...job, fence: fence ?? undefined })));
}

/** By the place of the rows: joined by their ids, the planner reads the whole table for a batch of them. */
async function takeRest(
  queries: Queries,
  claim: Claim,
  head: ClaimedJob,
  now: RawBuilder<number>,
): Promise<readonly ClaimedJob[]> {
  const rest = sql<boolean>`
    ctid = any(array(select j.ctid ${restOfBatch(claim, head, now)} ${skipLocked}))`;
  return takeUnderLease(queries, claim, head, now, rest);
}
