import type { JobRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';

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
