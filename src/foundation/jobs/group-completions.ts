import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DoneJob } from './complete-jobs.ts';

/** Says that the jobs of one run are done; resolves with the ids of those whose lease was still held. */
export type Complete = (jobs: readonly DoneJob[]) => Promise<ReadonlySet<string>>;

/** Runs in one transaction: enough for the fsync to be shared, few enough to be short. */
const largestGroup = 100;

interface Waiting {
  readonly jobs: readonly DoneJob[];
  readonly told: PromiseWithResolvers<ReadonlySet<string>>;
}

/**
 * Runs that end close together are written down in one transaction: those of one turn of the event loop, and those
 * that ended while the transaction before was on its way. None waits for others to come.
 */
export function groupCompletions(complete: Complete): Complete {
  let waiting: Waiting[] = [];
  let writing = false;
  const write = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const done = await complete(group.flatMap(({ jobs }) => jobs));
      for (const { told } of group) told.resolve(done);
    } catch (error) {
      for (const { told } of group) told.reject(error);
    }
  };
  const writeAll = async (): Promise<void> => {
    writing = true;
    await nextTurn();
    while (waiting.length > 0) {
      const group = waiting.slice(0, largestGroup);
      waiting = waiting.slice(largestGroup);
      await write(group);
    }
    writing = false;
  };
  return (jobs) => {
    const told = Promise.withResolvers<ReadonlySet<string>>();
    waiting.push({ jobs, told });
    if (!writing) void writeAll();
    return told.promise;
  };
}
