import type { Database } from '../db/database.ts';
import { claimOnPostgres } from './claim-on-postgres.ts';
import { claimOnSqlite } from './claim-on-sqlite.ts';
import type { Claim, LeasedJobs } from './claimed-job.ts';
import { queueNow } from './queue-time.ts';

/**
 * Takes up to `limit` runs' worth of the most urgent jobs that are due and whose lanes are free, with the lanes, the
 * most urgent first; none when there are none. No two callers are given the same job or lane, in whatever process or host.
 */
export async function claimJobs(
  database: Database,
  claim: Claim,
  limit: number,
): Promise<readonly LeasedJobs[]> {
  return database.dialect === 'postgres'
    ? claimOnPostgres(database, claim, limit)
    : claimOnSqlite(database, claim, limit);
}

/** Milliseconds until the next job of these tasks becomes due; `undefined` when none waits for its time. */
export async function msUntilDue(database: Database, claim: Claim): Promise<number | undefined> {
  const now = queueNow(database.dialect, claim.clock);
  const next = await database.queries
    .selectFrom('jobs')
    .where('state', '=', 'ready')
    .where('run_at', '>', now)
    .where('task', 'in', claim.tasks)
    .select(({ fn }) => [fn.min('run_at').as('runAt'), now.as('now')])
    .executeTakeFirst();
  return next === undefined || next.runAt === null ? undefined : next.runAt - next.now;
}
