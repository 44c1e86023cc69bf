import { ExternalServiceError, OrgctxError, RateLimited, Unavailable } from '../kernel/errors.ts';

/** What becomes of a job that failed. */
export interface Verdict {
  /** Until the next run; `undefined` when another run cannot help. */
  readonly retryAfterMs: number | undefined;
  /** Kept in the row and shown to operators: public text only. */
  readonly lastError: string;
}

const firstDelayMs = 1_000;
const longestDelayMs = 600_000;
/** A service that names a later time than this is not believed: its job would never be seen again. */
const longestRetryAfterMs = 86_400_000;

/** Which of its runs a job is at. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** `random` is in [0, 1). */
export function verdictOf(error: unknown, at: Attempt & { readonly random: () => number }): Verdict {
  const lastError = error instanceof OrgctxError ? error.message : 'Internal error; the log has the details.';
  if (isLastRun(error, at)) return { retryAfterMs: undefined, lastError };
  return { retryAfterMs: namedDelay(error) ?? backoff(at.attempt, at.random), lastError };
}

/** Whether a job that failed so is dead. */
export function isLastRun(error: unknown, { attempt, maxAttempts }: Attempt): boolean {
  return attempt >= maxAttempts || isPermanent(error);
}

/** An error that asks the caller to change something will be the same next time; only waiting mends the others. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof ExternalServiceError) return !error.retryable;
  return error instanceof OrgctxError && error.status < 500 && !(error instanceof RateLimited);
}

function namedDelay(error: unknown): number | undefined {
  if (!(error instanceof RateLimited || error instanceof Unavailable)) return undefined;
  const seconds = error.retryAfter;
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds * 1_000, longestRetryAfterMs);
}

/** Full jitter: jobs that failed together do not come back together. */
function backoff(attempt: number, random: () => number): number {
  return Math.round(random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempt));
}
