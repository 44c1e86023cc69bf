import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { givenRows } from '../db/given-rows.ts';
import {
  allCandidates,
  claimOrder,
  isDue,
  isFree,
  nearWindow,
  orderInLane,
  type Wanted,
} from './claim-candidates.ts';
import { byLease, type Claim, type ClaimedJob, type ClaimedJobs, claimedColumns } from './claimed-job.ts';
import { later, queueNow } from './queue-time.ts';

const skipLocked = sql`for update of j skip locked`;

/** A claim is one statement, so its transaction costs no round trip of its own. */
export async function claimOnPostgres(
  { queries }: Database,
  claim: Claim,
  limit: number,
): Promise<readonly ClaimedJobs[]> {
  const now = queueNow('postgres', claim.clock);
  const wanted: Wanted = { tasks: claim.tasks, now, limit, skipLocked };
  const near = await take(queries, claim, wanted, nearCandidates(wanted));
  return near.length > 0 ? near : take(queries, claim, wanted, allCandidates(wanted));
}

/**
 * Ids among the first rows of the queue that may be taken: of each lane its first job, if nobody has the lane. Costs
 * the same however long the queue is, and finds nothing when busy lanes fill its beginning.
 */
function nearCandidates(wanted: Wanted): RawBuilder<{ id: string }> {
  return sql`
    select near.id from (
      select first.id, first.lane,
        row_number() over (partition by first.lane order by first.priority desc, first.run_at, first.id) as place
      from (
        select j.id, j.lane, j.priority, j.run_at from jobs j where ${isDue(wanted)}
        order by ${claimOrder} limit ${nearWindow(wanted)}
      ) as first
    ) as near
    where near.lane is null or (near.place = 1 and ${isFree(wanted, sql`near.lane`)})`;
}

/**
 * Locks rows before anything else: a row that another claim took since this statement began is passed over, or seen
 * as it is now. A lane is leased only by a job that this statement holds; where another claim has taken the lane in
 * between, its job is left.
 */
async function take(
  queries: Queries,
  claim: Claim,
  wanted: Wanted,
  candidates: RawBuilder<{ id: string }>,
): Promise<readonly ClaimedJobs[]> {
  const { leaseMs, batches } = claim;
  const { now, limit } = wanted;
  const claimId = randomUUID();
  const until = later(now, leaseMs);
  const inBatches = batches !== undefined && batches.size > 0;
  const { rows } = await sql<ClaimedJob & { fence: number | null }>`
    with candidate as materialized (${candidates}),
    locked as materialized (
      select j.id, j.task, j.lane, ${claimId} || '.' || j.id as token
      from candidate join jobs j on j.id = candidate.id where ${isDue(wanted)}
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
    ${inBatches ? rest(batches, wanted) : sql``}
    taken as (
      update jobs set state = 'running', lease_token = head.token, lease_until = ${until}, attempts = jobs.attempts + 1
      from head where jobs.id = head.id
      returning ${claimedColumns}, head.fence
    )
    ${inBatches ? sql`, more as (${takeRest(until)})` : sql``}
    select * from taken ${inBatches ? sql`union all select * from more` : sql``}`.execute(queries);
  return byLease(rows.map(({ fence, ...job }) => ({ ...job, fence: fence ?? undefined })));
}

/**
 * What fills the batches of the heads: of each lane its next jobs, and those without a lane in the queue's order, dealt
 * out to the heads of their task one batch after the other. In one statement: several beside each other would walk
 * over the rows that the others have just locked.
 */
function rest(batches: ReadonlyMap<string, number>, wanted: Wanted): RawBuilder<unknown> {
  const sizes = [...batches].map(([task, size]) => ({ task, room: size - 1 }));
  const isNext = sql`j.task = batch.task and ${isDue(wanted)} 
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
 * By the place of the rows: joined by their ids, the planner reads the whole table. A row that was changed since the
 * statement began is not seen at its new place, and is left.
 */
function takeRest(until: RawBuilder<number>): RawBuilder<unknown> {
  return sql`
    update jobs set state = 'running', lease_token = rest.token, lease_until = ${until}, attempts = jobs.attempts + 1
    from rest where jobs.ctid = rest.place
    returning ${claimedColumns}, rest.fence`;
}
