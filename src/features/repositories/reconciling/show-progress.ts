import type { Queries } from '../../../foundation/db/database.ts';
import { repeatEvery } from '../../../foundation/jobs/worker/repeat.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Progress } from '../../../foundation/kernel/text/progress.ts';
import type { RepositoryState } from '../repository.ts';
import { type RepositoryRef, saveProgress } from '../repository-state-store.ts';
import { getState } from '../repository-store.ts';

export type ShowProgress = (progress: Progress) => void;

/** Minimum interval between two writes of progress, and interval of the state check, in milliseconds. */
const intervalMs = 1000;

interface ProgressTarget {
  readonly queries: Queries;
  readonly clock: Clock;
  readonly ref: RepositoryRef;
  /** The state of the repository during the work. */
  readonly state: RepositoryState;
}

/**
 * Runs `work` and saves its progress on the record, at most once a second. When the repository leaves the state,
 * because it is being removed, the signal of the work is aborted within a second, and the result of the work is
 * ignored.
 */
export async function withProgress(
  target: ProgressTarget,
  signal: AbortSignal,
  work: (show: ShowProgress, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const left = new AbortController();
  const reporter = createReporter(target, left);
  const watch = repeatEvery(
    intervalMs,
    () => checkState(target, left),
    () => undefined,
  );
  try {
    await work(reporter.show, AbortSignal.any([signal, left.signal]));
  } catch (error) {
    if (!left.signal.aborted || signal.aborted) throw error;
  } finally {
    await watch.stop();
    await reporter.settled();
  }
}

async function checkState({ queries, ref, state }: ProgressTarget, left: AbortController): Promise<void> {
  if ((await getState(queries, ref.scope, ref.id)) !== state) left.abort();
}

function createReporter(
  target: ProgressTarget,
  left: AbortController,
): { show: ShowProgress; settled(): Promise<void> } {
  let lastAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;
  const write = async (progress: Progress): Promise<void> => {
    // A failure to save progress must not fail the work.
    const saved = await saveProgress(target.queries, target.ref, target.state, progress).catch(() => true);
    if (!saved) left.abort();
    writing = undefined;
  };
  return {
    show: (progress) => {
      if (writing !== undefined || target.clock() - lastAt < intervalMs) return;
      lastAt = target.clock();
      writing = write(progress);
    },
    settled: async () => {
      await writing;
    },
  };
}
