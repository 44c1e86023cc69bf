import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { allCandidates, claimOrder, nearCandidates, type Wanted } from './claim-candidates.ts';
import type { Claim, ClaimedJob, LeasedJobs } from './claimed-job.ts';
import { batchSize, claimedColumns, inClaimOrder, restOfBatch, takeUnderLease } from './claimed-rows.ts';
import { later, queueNow } from './queue-time.ts';

/** A write transaction excludes every other. */
const noLocks = sql``;

type Candidate = Pick<ClaimedJob, 'id' | 'lane'>;

export async function claimOnSqlite(
  database: Database,
  claim: Claim,
  limit: number,
): Promise<readonly LeasedJobs[]> {
  // A look without a write lock, or else an idle worker would take the lock at every wake-up.
  if ((await candidates(database.queries, claim, 1)).length === 0) return [];
  return database.transaction(async (tx) => {
    const found = await candidates(tx, claim, limit);
    if (found.length === 0) return [];
    // Asked with the lock in hand: waiting for it must not eat the lease.
    const now = queueNow('sqlite', claim.clock);
    const leased: LeasedJobs[] = [];
    for (const head of await take(tx, claim, found, now)) {
      const more = batchSize(claim, head) > 1 ? await takeRest(tx, claim, head, now) : [];
      leased.push([head, ...more]);
    }
    return leased;
  });
}

async function candidates(queries: Queries, claim: Claim, limit: number): Promise<readonly Candidate[]> {
  const now = queueNow('sqlite', claim.clock);
  const wanted: Wanted = { tasks: claim.tasks, now, limit, skipLocked: noLocks };
  const near = await first(queries, nearCandidates(wanted), limit);
  return near.length > 0 ? near : first(queries, allCandidates(wanted), limit);
}

async function first(
  queries: Queries,
  ids: RawBuilder<{ id: string }>,
  limit: number,
): Promise<readonly Candidate[]> {
  // In a cross join SQLite keeps the order of the tables as written.
  const { rows } = await sql<Candidate>`
    select j.id, j.lane from (${ids}) as candidate cross join jobs j where j.id = candidate.id
    order by ${claimOrder} limit ${limit}`.execute(queries);
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
  const { rows } = await sql<Omit<ClaimedJob, 'fence'>>`
    update jobs set state = 'running', lease_token = ${claimId} || '.' || id, lease_until = ${until},
      attempts = attempts + 1
    where id in (select value from json_each(${JSON.stringify(found.map(({ id }) => id))}))
    returning ${claimedColumns}`.execute(tx);
  return inClaimOrder(
    rows.map((row) => ({ ...row, fence: row.lane === null ? undefined : fences.get(row.lane) })),
  );
}

async function takeLanes(
  tx: Queries,
  claimId: string,
  found: readonly Candidate[],
  until: RawBuilder<number>,
): Promise<ReadonlyMap<string, number>> {
  const laned = found.filter(({ lane }) => lane !== null).map(({ id, lane }) => [lane, `${claimId}.${id}`]);
  if (laned.length === 0) return new Map();
  const { rows } = await sql<{ lane: string; fence: number }>`
    insert into lanes (lane, lease_token, lease_until, fence)
    select value ->> 0, value ->> 1, ${until}, 1 from json_each(${JSON.stringify(laned)}) where true
    on conflict (lane) do update set
      lease_token = excluded.lease_token, lease_until = excluded.lease_until, fence = lanes.fence + 1
    returning lane, fence`.execute(tx);
  return new Map(rows.map(({ lane, fence }) => [lane, fence]));
}

function takeRest(tx: Queries, claim: Claim, head: ClaimedJob, now: RawBuilder<number>) {
  const rest = sql<boolean>`id in (select j.id ${restOfBatch(claim, head, now)})`;
  return takeUnderLease(tx, claim, head, now, rest);
}
