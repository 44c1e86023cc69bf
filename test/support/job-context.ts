import type { JobContext } from '../../src/foundation/jobs/handler.ts';
import { silentLog } from './silent-log.ts';

/** The first of six runs of a job, which nobody ends and nobody takes away, but for what a test says. */
export function jobContext(context: Partial<JobContext> = {}): JobContext {
  return {
    signal: new AbortController().signal,
    log: silentLog,
    attempt: 1,
    maxAttempts: 6,
    fence: undefined,
    assertHeld: async () => {},
    ...context,
  };
}
