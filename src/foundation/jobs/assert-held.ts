import type { Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ClaimedJob } from './claim.ts';
import { LeaseLost } from './lease-lost.ts';
import { queueNow } from './queue-time.ts';

/**
 * Makes sure that the job and its lane are still those of this run. The rows stay locked until the transaction ends, so
 * that nobody takes them between this look and its commit. Throws LeaseLost.
 */
export async function assertHeld(tx: Queries, job: ClaimedJob, clock: Clock): Promise<void> {
  const dialect = dialectOf(tx);
  const now = queueNow(dialect, clock);
  const held = tx
    .selectFrom('jobs')
    .where('id', '=', job.id)
    .where('lease_token', '=', job.lease_token)
    .where('lease_until', '>', now)
    .select('id');
  const row = await (dialect === 'postgres' ? held.forShare() : held).executeTakeFirst();
  if (row === undefined) throw new LeaseLost();
  if (job.lane === null) return;
  const lane = tx
    .selectFrom('lanes')
    .where('lane', '=', job.lane)
    .where('lease_token', '=', job.lease_token)
    .where('fence', '=', job.fence ?? -1)
    .where('lease_until', '>', now)
    .select('lane');
  const laneRow = await (dialect === 'postgres' ? lane.forShare() : lane).executeTakeFirst();
  if (laneRow === undefined) throw new LeaseLost();
}
