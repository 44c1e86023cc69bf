import type { Queries } from '../../foundation/db/database.ts';
import { repeatEvery } from '../../foundation/jobs/repeat.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { Progress } from '../../foundation/kernel/progress.ts';
import type { RepositoryState } from './repository.ts';
import { type RepositoryRef, showProgress } from './repository-state-store.ts';
import { getRepository } from './repository-store.ts';

export type ShowProgress = (progress: Progress) => void;

/** Often enough for people who watch, rarely enough for the database. */
const intervalMs = 1000;

interface Shown {
  readonly queries: Queries;
  readonly clock: Clock;
  readonly ref: RepositoryRef;
  /** The state that the work belongs to. */
  readonly state: RepositoryState;
}

/**
 * Runs `work` and shows its progress on the record, at most once a second. Once the repository has left the state
 * (it is being removed) the work's signal is aborted within a second, whether it shows progress or not, and its
 * outcome counts no more.
 */
export async function whileShowing(
  shown: Shown,
  signal: AbortSignal,
  work: (show: ShowProgress, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const left = new AbortController();
  const reporter = reporting(shown, left);
  const watch = repeatEvery(
    intervalMs,
    () => look(shown, left),
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

async function look({ queries, ref, state }: Shown, left: AbortController): Promise<void> {
  const repository = await getRepository(queries, ref.scope, ref.id);
  if (repository?.state !== state) left.abort();
}

function reporting(shown: Shown, left: AbortController): { show: ShowProgress; settled(): Promise<void> } {
  let lastAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;
  const write = async (progress: Progress): Promise<void> => {
    // A progress that could not be written is not worth the work it speaks of.
    const present = await showProgress(shown.queries, shown.ref, shown.state, progress).catch(() => true);
    if (!present) left.abort();
    writing = undefined;
  };
  return {
    show: (progress) => {
      if (writing !== undefined || shown.clock() - lastAt < intervalMs) return;
      lastAt = shown.clock();
      writing = write(progress);
    },
    settled: async () => {
      await writing;
    },
  };
}
