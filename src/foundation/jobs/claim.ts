import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { claimOnPostgres } from './claim-on-postgres.ts';
import { claimOnSqlite } from './claim-on-sqlite.ts';
import type { Claim, ClaimedJobs } from './claimed-job.ts';
import { priorities } from './priorities.ts';
import { queueNow } from './queue-time.ts';

/**
 * Takes up to `limit` runs' worth of the most urgent jobs that are due and whose lanes are free, with the lanes, the
 * most urgent first; none when there are none. No two callers are given the same job or lane, in whatever process or host.
 * @param expectWork the last claim found some: then SQLite takes its write lock without a look before
 */
export async function claimJobs(
  database: Database,
  claim: Claim,
  limit: number,
  expectWork = false,
): Promise<readonly ClaimedJobs[]> {
  return database.dialect === 'postgres'
    ? claimOnPostgres(database, claim, limit)
    : claimOnSqlite(database, claim, limit, expectWork);
}

/** Milliseconds until the next job of these tasks becomes due; `undefined` when none waits for its time. */
export async function msUntilDue(database: Database, claim: Claim): Promise<number | undefined> {
  const now = queueNow(database.dialect, claim.clock);
  const { rows } = await sql<{ ms: number | null }>`
    with recursive ${priorities}
    select min((
      select j.run_at from jobs j
      where j.state = 'ready' and j.priority = walk.priority and j.run_at > ${now} and j.task in (${sql.join(claim.tasks)})
      order by j.run_at limit 1
    )) - ${now} as ms from walk where walk.priority is not null`.execute(database.queries);
  return rows[0]?.ms ?? undefined;
}
