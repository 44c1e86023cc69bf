import type { Database } from '../db/database.ts';
import type { JobRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import { claimOnPostgres } from './claim-on-postgres.ts';
import { claimOnSqlite } from './claim-on-sqlite.ts';
import { queueNow } from './queue-time.ts';

/** A job with its lease: whoever holds the token may say how the job went, until another has taken it. */
export type ClaimedJob = Pick<
  JobRow,
  'id' | 'task' | 'lane' | 'priority' | 'run_at' | 'payload' | 'attempts' | 'max_attempts' | 'trace_context'
> & {
  readonly lease_token: string;
  /** Of its lane, with this lease. */
  readonly fence: number | undefined;
};

/** What one run takes: jobs of one task and one lane (or none) under one lease, in the order of the queue. */
export type LeasedJobs = readonly [ClaimedJob, ...ClaimedJob[]];

export interface Claim {
  /** Names of the tasks that the caller can run. */
  readonly tasks: readonly string[];
  /** Of the tasks that take more than one job a run, how many. */
  readonly batches?: ReadonlyMap<string, number>;
  readonly leaseMs: number;
  readonly clock: Clock;
}

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
