import { gather } from '../kernel/gather.ts';
import type { DoneJob } from './complete-jobs.ts';

/** Says that the jobs of one run are done; resolves with the ids of those whose lease was still held. */
export type Complete = (jobs: readonly DoneJob[]) => Promise<ReadonlySet<string>>;

/** Runs in one transaction: enough for the fsync to be shared, few enough to be short. */
const largestGroup = 100;

/** Runs that end close together are written down in one transaction. */
export function groupCompletions(complete: Complete): Complete {
  const completeAll = async (runs: readonly (readonly DoneJob[])[]) => {
    const done = await complete(runs.flat());
    return runs.map(() => done);
  };
  return gather(completeAll, { largest: largestGroup });
}
