import { sql } from 'kysely';
import type { JobRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';

export interface Claim {
  /** Names of the tasks that the caller can run. */
  readonly tasks: readonly string[];
  /** Of the tasks that take more than one job a run, how many. */
  readonly batches?: ReadonlyMap<string, number>;
  readonly leaseMs: number;
  readonly clock: Clock;
}

/** For SQLite, where the run that ends and the claim that follows are one transaction. */
export interface ClaimHints {
  /** The last claim found some: the write lock is taken without a look before. */
  readonly expectWork?: boolean;
  /** Lanes left to other processes, which else would never see them free. */
  readonly leave?: ReadonlySet<string>;
}

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
export type ClaimedJobs = readonly [ClaimedJob, ...ClaimedJob[]];

/** Of a changed row of `jobs`. */
export const claimedColumns = sql`jobs.id, jobs.task, jobs.lane, jobs.priority, jobs.run_at, jobs.payload,
  jobs.attempts, jobs.max_attempts, jobs.trace_context, jobs.lease_token`;

/** Jobs that a statement claimed, which returns them in no order, by the lease that they share. */
export function byLease(jobs: readonly ClaimedJob[]): readonly ClaimedJobs[] {
  const leases = new Map<string, [ClaimedJob, ...ClaimedJob[]]>();
  for (const job of jobs.toSorted(inClaimOrder)) {
    const others = leases.get(job.lease_token);
    if (others === undefined) leases.set(job.lease_token, [job]);
    else others.push(job);
  }
  return [...leases.values()];
}

function inClaimOrder(a: ClaimedJob, b: ClaimedJob): number {
  return b.priority - a.priority || a.run_at - b.run_at || (a.id < b.id ? -1 : 1);
}
