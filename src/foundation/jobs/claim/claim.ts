import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { queueNow } from '../queue-time.ts';
import { allCandidates, type CandidateQuery } from './claim-candidates.ts';
import { claimOnPostgres } from './claim-on-postgres.ts';
import { claimOnSqlite } from './claim-on-sqlite.ts';
import type { Claim, ClaimedJobs, ClaimHints } from './claimed-job.ts';
import { priorities } from './priorities.ts';

/**
 * Claims the jobs and lanes for up to `limit` runs: the most urgent jobs that are due and whose lanes are free, most
 * urgent first. Returns an empty array if there are none. No two callers receive the same job or lane, in any process
 * or on any host.
 */
export async function claimJobs(
  database: Database,
  claim: Claim,
  limit: number,
  hints: ClaimHints = {},
): Promise<readonly ClaimedJobs[]> {
  return database.dialect === 'postgres'
    ? claimOnPostgres(database, claim, limit)
    : claimOnSqlite(database, claim, limit, hints);
}

/**
 * Delay before the next claim when jobs were skipped, because another statement had locked them or their lane was
 * left to other processes, in milliseconds.
 */
const skippedDelayMs = 20;

/**
 * Returns the delay until a worker that received no job must claim again if no notification arrives, in milliseconds.
 * It is short if jobs that are due and free were skipped; otherwise it ends when the next job becomes due. Returns
 * `undefined` if no job is scheduled.
 */
export async function msUntilNextClaim(database: Database, claim: Claim): Promise<number | undefined> {
  const now = queueNow(database.dialect, claim.clock);
  const query: CandidateQuery = {
    tasks: claim.tasks,
    suspects: claim.suspects,
    now,
    limit: 1,
    skipLocked: sql``,
  };
  const { rows } = await sql<{ skipped: number; ms: number | null }>`
    with recursive ${priorities}
    select
      case when exists (select 1 from (${allCandidates(query)}) as candidate) then 1 else 0 end as "skipped",
      min((
        select j.run_at from jobs j
        where j.state = 'ready' and j.priority = walk.priority and j.run_at > ${now}
          and j.task in (${sql.join(claim.tasks)})
        order by j.run_at limit 1
      )) - ${now} as ms
    from walk where walk.priority is not null`.execute(database.queries);
  const [next] = rows;
  return next?.skipped === 1 ? skippedDelayMs : (next?.ms ?? undefined);
}
