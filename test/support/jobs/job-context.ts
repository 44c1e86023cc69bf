import type { JobContext } from '../../../src/foundation/jobs/handler.ts';
import { silentLog } from '../silent-log.ts';

/** Returns the context of the first of six attempts of a job that holds its lease, with the given parts replaced. */
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
