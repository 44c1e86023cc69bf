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
  nearWindow,
  orderInLane,
} from './claim-candidates.ts';
import {
  type Claim,
  type ClaimedJob,
  type ClaimedJobs,
  type ClaimHints,
  claimedColumns,
  groupByLease,
} from './claimed-job.ts';

/** Empty: a write transaction on SQLite excludes every other. */
const noLocks = sql``;

type Candidate = Pick<ClaimedJob, 'id' | 'lane'>;
type ClaimedRow = Omit<ClaimedJob, 'fence'>;

export async function claimOnSqlite(
  database: Database,
  claim: Claim,
  limit: number,
  { expectWork = false, excludedLanes = new Set() }: ClaimHints,
): Promise<readonly ClaimedJobs[]> {
  // Check without the write lock first. Otherwise an idle worker would take the lock at every wake-up.
  if (!expectWork && (await candidates(database.queries, claim, 1, excludedLanes)).length === 0) return [];
  return database.transaction(async (tx) => {
    const found = await candidates(tx, claim, limit, excludedLanes);
    if (found.length === 0) return [];
    // Read the time while holding the lock, so that waiting for the lock does not shorten the lease.
    const now = queueNow('sqlite', claim.clock);
    const heads = await take(tx, claim, found, now);
    const jobs = [...heads];
    for (const head of heads) jobs.push(...(await takeRest(tx, claim, head, now)));
    return groupByLease(jobs);
  });
}

async function candidates(
  queries: Queries,
  claim: Claim,
  limit: number,
  excludedLanes: ReadonlySet<string>,
): Promise<readonly Candidate[]> {
  const now = queueNow('sqlite', claim.clock);
  const query: CandidateQuery = {
    tasks: claim.tasks,
    suspects: claim.suspects,
    now,
    limit,
    skipLocked: noLocks,
  };
  const window = nearWindow(query);
  const { rows } = await sql<Candidate>`
    select j.id, j.lane from jobs j where ${isDue(query)} order by ${claimOrder} limit ${window}`.execute(
    queries,
  );
  const near = await firstOfFreeLanes(queries, rows, now, excludedLanes);
  // The queue is longer than the window, and jobs of busy lanes fill the window.
  if (near.length > 0 || rows.length < window) return near.slice(0, limit);
  return (await searchAllLanes(queries, query)).filter(
    ({ lane }) => lane === null || !excludedLanes.has(lane),
  );
}

/**
 * Keeps the first job of each free lane and every job without a lane. Uses plain statements, because SQLite takes
 * longer to plan one window function than to run all of them.
 */
async function firstOfFreeLanes(
  queries: Queries,
  jobs: readonly Candidate[],
  now: RawBuilder<number>,
  excludedLanes: ReadonlySet<string>,
): Promise<readonly Candidate[]> {
  const lanes = new Set(jobs.flatMap(({ lane }) => lane ?? []));
  if (lanes.size === 0) return jobs;
  const { rows } = await sql<{ lane: string }>`
    select lane from lanes where lease_until > ${now}
      and lane in (select value from json_each(${JSON.stringify([...lanes])}))`.execute(queries);
  const taken = new Set([...excludedLanes, ...rows.map(({ lane }) => lane)]);
  return jobs.filter(({ lane }) => {
    if (lane === null) return true;
    if (taken.has(lane)) return false;
    taken.add(lane);
    return true;
  });
}

async function searchAllLanes(queries: Queries, query: CandidateQuery): Promise<readonly Candidate[]> {
  // SQLite does not reorder the tables of a cross join.
  const { rows } = await sql<Candidate>`
    select j.id, j.lane from (${allCandidates(query)}) as candidate cross join jobs j where j.id = candidate.id
    order by ${claimOrder} limit ${query.limit}`.execute(queries);
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

/** Claims further jobs of the same task and lane under the lease of a claimed job, up to the batch size. */
async function takeRest(
  tx: Queries,
  { batches, leaseMs, suspects }: Claim,
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
      select j.id from jobs j where ${inLane} and ${isDue({ tasks: [task], now, suspects })} order by ${orderInLane} limit ${room}
    )
    returning ${claimedColumns}`.execute(tx);
  return rows.map((row) => ({ ...row, fence }));
}
