import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { allCandidates, type Wanted } from './claim-candidates.ts';
import { claimOnPostgres } from './claim-on-postgres.ts';
import { claimOnSqlite } from './claim-on-sqlite.ts';
import type { Claim, ClaimedJobs, ClaimHints } from './claimed-job.ts';
import { priorities } from './priorities.ts';
import { queueNow } from './queue-time.ts';

/**
 * Takes up to `limit` runs' worth of the most urgent jobs that are due and whose lanes are free, with the lanes, the
 * most urgent first; none when there are none. No two callers are given the same job or lane, in whatever process or host.
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

/** Until what another claim or a statement had locked is looked at again, and a lane that was left to others. */
const lookAgainMs = 20;

/**
 * Milliseconds until a worker that was given nothing should look again though no news comes: soon when jobs that are due
 * and free were passed over, or else when the next one becomes due; `undefined` when none waits for its time.
 */
export async function msUntilLook(database: Database, claim: Claim): Promise<number | undefined> {
  const now = queueNow(database.dialect, claim.clock);
  const wanted: Wanted = { tasks: claim.tasks, now, limit: 1, skipLocked: sql`` };
  const { rows } = await sql<{ passedOver: number; ms: number | null }>`
    with recursive ${priorities}
    select
      case when exists (select 1 from (${allCandidates(wanted)}) as candidate) then 1 else 0 end as "passedOver",
      min((
        select j.run_at from jobs j
        where j.state = 'ready' and j.priority = walk.priority and j.run_at > ${now}
          and j.task in (${sql.join(claim.tasks)})
        order by j.run_at limit 1
      )) - ${now} as ms
    from walk where walk.priority is not null`.execute(database.queries);
  const [next] = rows;
  return next?.passedOver === 1 ? lookAgainMs : (next?.ms ?? undefined);
}
