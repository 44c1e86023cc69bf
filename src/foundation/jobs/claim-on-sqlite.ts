import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { givenRows } from '../db/given-rows.ts';
import {
  allCandidates,
  claimOrder,
  isDue,
  nearWindow,
  orderInLane,
  type Wanted,
} from './claim-candidates.ts';
import {
  byLease,
  type Claim,
  type ClaimedJob,
  type ClaimedJobs,
  type ClaimHints,
  claimedColumns,
} from './claimed-job.ts';
import { later, queueNow } from './queue-time.ts';

/** A write transaction excludes every other. */
const noLocks = sql``;

type Candidate = Pick<ClaimedJob, 'id' | 'lane'>;
type ClaimedRow = Omit<ClaimedJob, 'fence'>;

export async function claimOnSqlite(
  database: Database,
  claim: Claim,
  limit: number,
  { expectWork = false, leave = new Set() }: ClaimHints,
): Promise<readonly ClaimedJobs[]> {
  // A look without a write lock, or else an idle worker would take the lock at every wake-up.
  if (!expectWork && (await candidates(database.queries, claim, 1, leave)).length === 0) return [];
  return database.transaction(async (tx) => {
    const found = await candidates(tx, claim, limit, leave);
    if (found.length === 0) return [];
    // Asked with the lock in hand: waiting for it must not eat the lease.
    const now = queueNow('sqlite', claim.clock);
    const heads = await take(tx, claim, found, now);
    const jobs = [...heads];
    for (const head of heads) jobs.push(...(await takeRest(tx, claim, head, now)));
    return byLease(jobs);
  });
}

async function candidates(
  queries: Queries,
  claim: Claim,
  limit: number,
  leave: ReadonlySet<string>,
): Promise<readonly Candidate[]> {
  const now = queueNow('sqlite', claim.clock);
  const wanted: Wanted = { tasks: claim.tasks, now, limit, skipLocked: noLocks };
  const window = nearWindow(wanted);
  const { rows } = await sql<Candidate>`
    select j.id, j.lane from jobs j where ${isDue(wanted)} order by ${claimOrder} limit ${window}`.execute(
    queries,
  );
  const near = await firstOfFreeLanes(queries, rows, now, leave);
  // Busy lanes fill the beginning of a queue that is longer than what was looked at.
  if (near.length > 0 || rows.length < window) return near.slice(0, limit);
  return (await anywhere(queries, wanted)).filter(({ lane }) => lane === null || !leave.has(lane));
}

/** In plain statements: for one window function, SQLite takes longer to plan than for all of them to run. */
async function firstOfFreeLanes(
  queries: Queries,
  jobs: readonly Candidate[],
  now: RawBuilder<number>,
  leave: ReadonlySet<string>,
): Promise<readonly Candidate[]> {
  const lanes = new Set(jobs.flatMap(({ lane }) => lane ?? []));
  if (lanes.size === 0) return jobs;
  const { rows } = await sql<{ lane: string }>`
    select lane from lanes where lease_until > ${now}
      and lane in (select value from json_each(${JSON.stringify([...lanes])}))`.execute(queries);
  const taken = new Set([...leave, ...rows.map(({ lane }) => lane)]);
  return jobs.filter(({ lane }) => {
    if (lane === null) return true;
    if (taken.has(lane)) return false;
    taken.add(lane);
    return true;
  });
}

async function anywhere(queries: Queries, wanted: Wanted): Promise<readonly Candidate[]> {
  // In a cross join SQLite keeps the order of the tables as written.
  const { rows } = await sql<Candidate>`
    select j.id, j.lane from (${allCandidates(wanted)}) as candidate cross join jobs j where j.id = candidate.id
    order by ${claimOrder} limit ${wanted.limit}`.execute(queries);
  return rows;
}

async function take(
  tx: Queries,
  { leaseMs }: Claim,
  found: readonly Candidate[],
  now: RawBuilder<number>,
): Promise<readonly ClaimedJob[]> {
  const claimId = randomUUID();
  const until = later(now, leaseMs);
  const fences = await takeLanes(tx, claimId, found, until);
  const { rows } = await sql<ClaimedRow>`
    update jobs set state = 'running', lease_token = ${claimId} || '.' || id, lease_until = ${until},
      attempts = attempts + 1
    where id in (select value from json_each(${JSON.stringify(found.map(({ id }) => id))}))
    returning ${claimedColumns}`.execute(tx);
  return rows.map((row) => ({ ...row, fence: row.lane === null ? undefined : fences.get(row.lane) }));
}

async function takeLanes(
  tx: Queries,
  claimId: string,
  found: readonly Candidate[],
  until: RawBuilder<number>,
): Promise<ReadonlyMap<string, number>> {
  const held = found.flatMap(({ id, lane }) => (lane === null ? [] : { lane, token: `${claimId}.${id}` }));
  if (held.length === 0) return new Map();
  const { rows } = await sql<{ lane: string; fence: number }>`
    insert into lanes (lane, lease_token, lease_until, fence)
    select lane, token, ${until}, 1 from ${givenRows('sqlite', { lane: 'text', token: 'text' }, held)} where true
    on conflict (lane) do update set
      lease_token = excluded.lease_token, lease_until = excluded.lease_until, fence = lanes.fence + 1
    returning lane, fence`.execute(tx);
  return new Map(rows.map(({ lane, fence }) => [lane, fence]));
}

/** Takes further jobs of the same task and lane under the lease of a claimed one, as many as its batch has room for. */
async function takeRest(
  tx: Queries,
  { batches, leaseMs }: Claim,
  { task, lane, lease_token, fence }: ClaimedJob,
  now: RawBuilder<number>,
): Promise<readonly ClaimedJob[]> {
  const room = (batches?.get(task) ?? 1) - 1;
  if (room === 0) return [];
  const inLane = lane === null ? sql`j.lane is null` : sql`j.lane = ${lane}`;
  const { rows } = await sql<ClaimedRow>`
    update jobs set state = 'running', lease_token = ${lease_token}, lease_until = ${later(now, leaseMs)},
      attempts = attempts + 1
    where id in (
      select j.id from jobs j where ${inLane} and ${isDue({ tasks: [task], now })} order by ${orderInLane} limit ${room}
    )
    returning ${claimedColumns}`.execute(tx);
  return rows.map((row) => ({ ...row, fence }));
}
