import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { type Check, type CheckOutcome, fail } from './check.ts';
import type { CheckResult } from './report.ts';

export interface RunOptions {
  /** Receives the errors that checks throw. The report contains only the part that is meant for people. */
  readonly onError: (check: string, error: unknown) => void;
  readonly signal: AbortSignal;
  /** Time-out of a check, in milliseconds. Default: its own, or 10,000. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;

/** Runs one check. One that throws or does not end in time has failed. Rejects only with the reason of `signal`. */
export async function runCheck<Needs>(
  { id, title, run, timeoutMs: ownTimeoutMs }: Check<Needs>,
  host: Needs,
  { signal, onError, timeoutMs = ownTimeoutMs ?? defaultTimeoutMs }: RunOptions,
): Promise<CheckResult> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([timeout, signal]);
  const aborted = new Promise<never>((_resolve, reject) => {
    ended.addEventListener('abort', () => reject(ended.reason as Error), { once: true });
  });
  try {
    return { id, title, ...(await Promise.race([run(host), aborted])) };
  } catch (error) {
    signal.throwIfAborted();
    onError(id, error);
    if (!timeout.aborted) return { id, title, ...failureOf(error) };
    return {
      id,
      title,
      ...fail(
        `No answer within ${timeoutMs} ms.`,
        'Check the load of this host, then run the command again.',
      ),
    };
  }
}

/**
 * Converts an error to an outcome. Messages of OrgctxError contain no secrets; messages of other errors are omitted.
 */
export function failureOf(error: unknown): CheckOutcome {
  if (error instanceof OrgctxError)
    return fail(error.message, 'Fix the reported problem, then run "orgctx doctor" again.');
  const name = error instanceof Error ? error.name : typeof error;
  return fail(
    `The check failed with an unexpected error (${name}).`,
    'Run the command with LOG_LEVEL=debug to see the whole error.',
  );
}
