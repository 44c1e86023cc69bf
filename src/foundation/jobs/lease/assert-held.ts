import type { RawBuilder } from 'kysely';
import type { Queries } from '../../db/database.ts';
import { dialectOf, forShare } from '../../db/dialect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ClaimedJob, ClaimedJobs } from '../claim/claimed-job.ts';
import { queueNow } from '../queue-time.ts';
import { LeaseLost } from './lease-lost.ts';

/**
 * Verifies that this run still holds the jobs and their lane. The rows stay locked until the transaction ends, so
 * that no other worker can take them before it commits. @throws LeaseLost
 */
export async function assertHeld(tx: Queries, jobs: ClaimedJobs, clock: Clock): Promise<void> {
  const now = queueNow(dialectOf(tx), clock);
  const held = (await holdsLane(tx, jobs[0], now)) && (await holdsJobs(tx, jobs, now));
  if (!held) throw new LeaseLost();
}

async function holdsJobs(tx: Queries, jobs: ClaimedJobs, now: RawBuilder<number>): Promise<boolean> {
  const ids = jobs.map(({ id }) => id);
  const query = tx
    .selectFrom('jobs')
    .where('id', 'in', ids)
    .where('lease_token', '=', jobs[0].lease_token)
    .where('lease_until', '>', now)
    .select('id')
    .orderBy('id');
  const rows = await forShare(tx, query).execute();
  return rows.length === ids.length;
}

async function holdsLane(
  tx: Queries,
  { lane, lease_token, fence }: ClaimedJob,
  now: RawBuilder<number>,
): Promise<boolean> {
  if (lane === null || fence === undefined) return true;
  const query = tx
    .selectFrom('lanes')
    .where('lane', '=', lane)
    .where('lease_token', '=', lease_token)
    .where('fence', '=', fence)
    .where('lease_until', '>', now)
    .select('lane');
  const row = await forShare(tx, query).executeTakeFirst();
  return row !== undefined;
}
