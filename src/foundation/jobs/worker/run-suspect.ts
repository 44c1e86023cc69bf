import type { Database, Queries } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { ClaimedJobs } from '../claim/claimed-job.ts';
import { recordLostAlone, retryJob } from '../lease/lease.ts';

/** The end of the process of a suspect. */
export type AloneEnd =
  /** It recorded the outcome of the job, or was stopped because its lease was lost. */
  | { readonly kind: 'settled' }
  /** It ended or was killed while it ran the job. `reason` completes "The worker …". */
  | { readonly kind: 'lost'; readonly reason: string }
  /** It ended for a reason that says nothing about the job, such as a database that it could not open. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs the job of a lease alone in a process, which records the outcome itself. The caller renews the lease. An abort
 * ends the process.
 */
export type RunAlone = (jobs: ClaimedJobs, signal: AbortSignal) => Promise<AloneEnd>;

/** Delay before a suspect whose process failed for another reason runs again, in milliseconds. */
const failedDelayMs = 30_000;

interface SuspectDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs a suspect in a process of its own, and records the end of the process if the process could not. Never throws. */
export async function runSuspect(
  { database, clock, log }: SuspectDeps,
  run: RunAlone,
  jobs: ClaimedJobs,
  signal: AbortSignal,
): Promise<void> {
  const [job] = jobs;
  const fields = { jobId: job.id, task: job.task };
  log.info(fields, 'job runs alone, because the worker that ran it was lost');
  try {
    const end = await run(jobs, signal);
    if (end.kind === 'settled') return;
    if (end.kind === 'lost') {
      const state = await recordLostAlone(database, job, end.reason, clock);
      log.error({ ...fields, state, reason: end.reason }, 'job stopped the process in which it ran alone');
    } else {
      log.warn({ ...fields, reason: end.reason }, 'job did not run alone; it will be retried');
      await retryJob(database, job, {
        delayMs: failedDelayMs,
        lastError: `The worker of this job ${end.reason}.`,
        counts: false,
        lostAlone: job.lost_alone,
        clock,
      });
    }
  } catch (error) {
    log.error({ err: error, ...fields }, 'job outcome not recorded');
  }
}

/** Returns whether a suspect is pending. Nearly always false, and cheaper than a claim. */
export async function hasSuspects(queries: Queries): Promise<boolean> {
  const row = await queries
    .selectFrom('jobs')
    .where('lost_alone', 'is not', null)
    .where('state', '=', 'ready')
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
