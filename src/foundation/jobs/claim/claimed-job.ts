import { sql } from 'kysely';
import type { Clock } from '../../kernel/clock.ts';
import type { JobRow } from '../tables.ts';

export interface Claim {
  /** Names of the tasks that the caller can run. */
  readonly tasks: readonly string[];
  /** Batch size by task name, for tasks that take more than one job per run. */
  readonly batches?: ReadonlyMap<string, number>;
  readonly leaseMs: number;
  /** `without`: no suspects. `only`: nothing but suspects. Default: all jobs. */
  readonly suspects?: 'without' | 'only';
  readonly clock: Clock;
}

/** Hints for SQLite, where the completion of a run and the next claim share one transaction. */
export interface ClaimHints {
  /** True if the last claim found jobs: the write lock is then taken without a read first. */
  readonly expectWork?: boolean;
  /** Lanes to skip so that other processes can claim them; otherwise those would never see them free. */
  readonly excludedLanes?: ReadonlySet<string>;
}

/**
 * A job with its lease. Only the holder of the token may record the outcome of the job, until another worker claims
 * it.
 */
export type ClaimedJob = Pick<
  JobRow,
  | 'id'
  | 'task'
  | 'key'
  | 'lane'
  | 'priority'
  | 'run_at'
  | 'payload'
  | 'attempts'
  | 'max_attempts'
  | 'trace_context'
  | 'lost_alone'
> & {
  readonly lease_token: string;
  /** Fencing number of the lane under this lease. */
  readonly fence: number | undefined;
};

/** The jobs of one run: of one task and one lane (or none), under one lease, in the order of the queue. */
export type ClaimedJobs = readonly [ClaimedJob, ...ClaimedJob[]];

/** The columns that a claim returns from an updated row of `jobs`. */
export const claimedColumns = sql`jobs.id, jobs.task, jobs.key, jobs.lane, jobs.priority, jobs.run_at, jobs.payload,
  jobs.attempts, jobs.max_attempts, jobs.trace_context, jobs.lost_alone, jobs.lease_token`;

/** Groups claimed jobs by their lease and sorts them, because a statement returns rows in no defined order. */
export function groupByLease(jobs: readonly ClaimedJob[]): readonly ClaimedJobs[] {
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
