import { isDatabaseBusy } from '../db/retry-transaction.ts';
import { isDiskFull } from '../kernel/error-code.ts';
import {
  ExternalServiceError,
  explainDiskFull,
  isCallerError,
  OrgctxError,
  RateLimited,
  Unavailable,
} from '../kernel/errors.ts';

/** The decision about a failed job. */
export interface RetryDecision {
  /** Delay until the next run, in milliseconds; `undefined` if another run cannot succeed. */
  readonly retryAfterMs: number | undefined;
  /** Stored in the row and shown to operators: public text only. */
  readonly lastError: string;
  /** False if the run does not count as an attempt: the disk is full, or another program locks the database. */
  readonly counts: boolean;
}

const firstDelayMs = 1_000;
const maxDelayMs = 600_000;
/** Delays until a job is tried again whose disk was full or whose database was busy, in milliseconds. */
const diskFullDelayMs = 60_000;
const databaseBusyDelayMs = 5_000;
/** Maximum accepted Retry-After of a service. With a longer one the job would practically never run again. */
const maxRetryAfterMs = 86_400_000;

/** The attempt of a job. */
export interface Attempt {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** Decides whether and when a failed job runs again. `random` returns a number in [0, 1). */
export function retryDecision(
  thrown: unknown,
  at: Attempt & { readonly random: () => number },
): RetryDecision {
  const error = explainDiskFull(thrown);
  const lastError = error instanceof OrgctxError ? error.message : 'Internal error. The log has the details.';
  const uncountedDelayMs = uncountedDelay(error);
  if (uncountedDelayMs !== undefined) return { retryAfterMs: uncountedDelayMs, lastError, counts: false };
  if (isLastRun(error, at)) return { retryAfterMs: undefined, lastError, counts: true };
  return { retryAfterMs: requestedDelay(error) ?? backoff(at.attempt, at.random), lastError, counts: true };
}

/** Returns whether a job that failed with this error is dead. */
export function isLastRun(error: unknown, { attempt, maxAttempts }: Attempt): boolean {
  return uncountedDelay(error) === undefined && (attempt >= maxAttempts || isPermanent(error));
}

/** Returns whether a retry would fail the same way: true for errors that require the caller to change something. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof ExternalServiceError) return !error.retryable;
  return isCallerError(error) && !(error instanceof RateLimited);
}

/** Returns whether a job failed because a disk is full. */
export function foundFullDisk(error: unknown): boolean {
  if (error instanceof OrgctxError) return error.code === 'disk_full' || error.code === 'git_disk_full';
  return isDiskFull(error);
}

/** Returns the delay after an error that does not say anything about the job; `undefined` for other errors. */
function uncountedDelay(error: unknown): number | undefined {
  if (foundFullDisk(error)) return diskFullDelayMs;
  return isDatabaseBusy(error) ? databaseBusyDelayMs : undefined;
}

function requestedDelay(error: unknown): number | undefined {
  if (!(error instanceof RateLimited || error instanceof Unavailable)) return undefined;
  const seconds = error.retryAfter;
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds * 1_000, maxRetryAfterMs);
}

/** Returns the back-off with full jitter, so that jobs that failed together are not retried together. */
function backoff(attempt: number, random: () => number): number {
  return Math.round(random() * Math.min(maxDelayMs, firstDelayMs * 2 ** attempt));
}
