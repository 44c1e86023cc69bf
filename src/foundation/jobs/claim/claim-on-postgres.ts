import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../../db/database.ts';
import { givenRows } from '../../db/given-rows.ts';
import { later, queueNow } from '../queue-time.ts';
import {
  allCandidates,
  type CandidateQuery,
  claimOrder,
  isDue,
  isFree,
  nearWindow,
  orderInLane,
} from './claim-candidates.ts';
import {
  type Claim,
  type ClaimedJob,
  type ClaimedJobs,
  claimedColumns,
  groupByLease,
} from './claimed-job.ts';

const skipLocked = sql`for update of j skip locked`;

/** Claims jobs on Postgres. Each attempt is one statement, so its transaction costs no extra round trip. */
export async function claimOnPostgres(
  { queries }: Database,
  claim: Claim,
  limit: number,
): Promise<readonly ClaimedJobs[]> {
  const now = queueNow('postgres', claim.clock);
  const query: CandidateQuery = { tasks: claim.tasks, suspects: claim.suspects, now, limit, skipLocked };
  const near = await take(queries, claim, query, nearCandidates(query));
  return near.length > 0 ? near : take(queries, claim, query, allCandidates(query));
}

/**
 * Selects the ids of the jobs at the head of the queue that can be claimed: those without a lane, and the first job
 * of each free lane. The cost does not depend on the length of the queue. Finds nothing when jobs of busy lanes fill
 * the head.
 */
function nearCandidates(query: CandidateQuery): RawBuilder<{ id: string }> {
  return sql`
    select near.id from (
      select first.id, first.lane,
        row_number() over (partition by first.lane order by first.priority desc, first.run_at, first.id) as place
      from (
        select j.id, j.lane, j.priority, j.run_at from jobs j where ${isDue(query)}
        order by ${claimOrder} limit ${nearWindow(query)}
      ) as first
    ) as near
    where near.lane is null or (near.place = 1 and ${isFree(query, sql`near.lane`)})`;
}

/**
 * Locks the candidate rows, takes their lanes and marks the jobs as running, in one statement. The rows are locked
 * first: a row that another claim took after this statement began is skipped, or read in its current state. A lane is
 * leased only for a job that this statement has locked. If another claim took the lane in between, its job is left in
 * the queue.
 */
async function take(
  queries: Queries,
  claim: Claim,
  query: CandidateQuery,
  candidates: RawBuilder<{ id: string }>,
): Promise<readonly ClaimedJobs[]> {
  const { leaseMs, batches } = claim;
  const { now, limit } = query;
  const claimId = randomUUID();
  const until = later(now, leaseMs);
  const inBatches = batches !== undefined && batches.size > 0;
  const { rows } = await sql<ClaimedJob & { fence: number | null }>`
    with candidate as materialized (${candidates}),
    locked as materialized (
      select j.id, j.task, j.lane, ${claimId} || '.' || j.id as token
      from candidate join jobs j on j.id = candidate.id where ${isDue(query)}
      order by ${claimOrder} limit ${limit} ${skipLocked}
    ),
    leased as (
      insert into lanes (lane, lease_token, lease_until, fence)
      select lane, token, ${until}, 1 from locked where lane is not null order by lane
      on conflict (lane) do update set
        lease_token = excluded.lease_token, lease_until = excluded.lease_until, fence = lanes.fence + 1
      where lanes.lease_until is null or lanes.lease_until <= ${now}
      returning lane, fence
    ),
    head as materialized (
      select locked.*, leased.fence from locked left join leased on leased.lane = locked.lane
      where locked.lane is null or leased.lane is not null
    ),
    ${inBatches ? rest(batches, query) : sql``}
    taken as (
      update jobs set state = 'running', lease_token = head.token, lease_until = ${until}, attempts = jobs.attempts + 1
      from head where jobs.id = head.id
      returning ${claimedColumns}, head.fence
    )
    ${inBatches ? sql`, more as (${takeRest(until)})` : sql``}
    select * from taken ${inBatches ? sql`union all select * from more` : sql``}`.execute(queries);
  return groupByLease(rows.map(({ fence, ...job }) => ({ ...job, fence: fence ?? undefined })));
}

/**
 * Selects the jobs that fill the batches of the heads: the next jobs of each lane, and the jobs without a lane in the
 * order of the queue, which are distributed to the heads of their task one batch after the other. It is part of the
 * same statement: several concurrent statements would each walk over the rows that the others have just locked.
 */
function rest(batches: ReadonlyMap<string, number>, query: CandidateQuery): RawBuilder<unknown> {
  const sizes = [...batches].map(([task, size]) => ({ task, room: size - 1 }));
  const isNext = sql`j.task = batch.task and ${isDue(query)} 
    and j.id <> all (array(select id from locked))`;
  return sql`
    batch as materialized (
      select head.task, head.lane, given.room, array_agg(head.token order by head.id) as tokens, min(head.fence) as fence
      from head join ${givenRows('postgres', { task: 'text', room: 'bigint' }, sizes)} on given.task = head.task
      group by head.task, head.lane, given.room
    ),
    rest as materialized (
      select next.place, batch.tokens[1] as token, batch.fence from batch cross join lateral (
        select j.ctid as place from jobs j where j.lane = batch.lane and ${isNext}
        order by ${claimOrder} limit batch.room ${skipLocked}
      ) as next
      where batch.lane is not null
      union all
      select next.place, batch.tokens[(next.nth - 1) / batch.room + 1], null from batch cross join lateral (
        select free.place, row_number() over () as nth from (
          select j.ctid as place from jobs j where j.lane is null and ${isNext}
          order by ${orderInLane} limit batch.room * cardinality(batch.tokens) ${skipLocked}
        ) as free
      ) as next
      where batch.lane is null
    ),`;
}

/**
 * Takes the rows of `rest` by their `ctid`, because the planner reads the whole table when it joins by id. A row that
 * changed since the statement began is not found at its new location, and is left in the queue.
 */
function takeRest(until: RawBuilder<number>): RawBuilder<unknown> {
  return sql`
    update jobs set state = 'running', lease_token = rest.token, lease_until = ${until}, attempts = jobs.attempts + 1
    from rest where jobs.ctid = rest.place
    returning ${claimedColumns}, rest.fence`;
}
