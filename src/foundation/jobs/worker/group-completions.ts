import { batch } from '../../kernel/limits/batch.ts';
import type { DoneJob } from './complete-jobs.ts';

/** Records that the jobs of one run are done. Resolves with the ids of those whose lease was still held. */
export type Complete = (jobs: readonly DoneJob[]) => Promise<ReadonlySet<string>>;

/** Maximum number of runs in one transaction: enough to share the fsync, few enough to keep the transaction short. */
const maxGroupSize = 100;

/** Returns a `complete` that records runs that end at nearly the same time in one transaction. */
export function groupCompletions(complete: Complete): Complete {
  const completeAll = async (runs: readonly (readonly DoneJob[])[]) => {
    const done = await complete(runs.flat());
    return runs.map(() => done);
  };
  return batch(completeAll, { maxSize: maxGroupSize });
}
