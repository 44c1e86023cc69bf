import type { Queries } from '../../foundation/db/database.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { type KeyedJobs, keyedJobs } from '../../foundation/jobs/inspect/keyed-jobs.ts';
import type { Task } from '../../foundation/jobs/task.ts';
import type { WorkDeps } from './reconciling/repository-work.ts';
import type { Repository, RepositoryError } from './repository.ts';
import { changeState, type RepositoryRef, recordFailure } from './repository-state-store.ts';
import { getRepository } from './repository-store.ts';
import {
  type RepositoryPayload,
  repositoryClone,
  repositoryFetch,
  repositoryIndex,
  repositoryRemove,
  repositoryUpdate,
} from './tasks.ts';

/**
 * Enqueues the missing job of a repository: the one that its state requires, or, if `rebuild` is set because the
 * index is lost or damaged, the one that rebuilds the index from the mirror (or clones first if the mirror is
 * missing). Does nothing if a job is pending or running. If the last job is dead, nothing is enqueued, so that a
 * repository that kills its worker does not do so repeatedly; the record gets the error `worker_lost`, and the user
 * may retry with a sync.
 */
export async function resumeRepository(
  { database, clock }: Pick<WorkDeps, 'database' | 'clock'>,
  ref: RepositoryRef,
  seen: Repository,
  rebuild: boolean,
): Promise<void> {
  const required = requiredTask(seen);
  const task = required ?? (rebuild ? repositoryIndex : undefined);
  if (task === undefined) return;
  await database.transaction(async (tx: Queries) => {
    const current = await getRepository(tx, ref.scope, ref.id);
    // The state changed since it was read; the next reconciliation decides.
    if (current?.state !== seen.state || current.stateChangedAt !== seen.stateChangedAt) return;
    const { pending, ...dead } = await keyedJobs(tx, relevantTasks(seen), ref.id);
    if (pending) return;
    // Dead jobs of an indexed repository are old: it was indexed after them.
    if (dead.deadAfter > 0 && seen.state !== 'indexed') {
      if (required !== undefined) await recordWorkerLost(tx, ref, seen, dead, clock());
      return;
    }
    if (rebuild) await changeState(tx, ref, 'indexing', clock(), ['indexed', 'failed']);
    await enqueue(tx, task, { organizationId: ref.scope.organizationId, repositoryId: ref.id });
  });
}

function requiredTask({ state }: Repository): Task<RepositoryPayload> | undefined {
  if (state === 'removing') return repositoryRemove;
  return state === 'indexed' || state === 'failed' ? undefined : repositoryClone;
}

function relevantTasks({ state }: Repository): readonly Pick<Task, 'name'>[] {
  return state === 'removing'
    ? [repositoryRemove]
    : [repositoryClone, repositoryIndex, repositoryFetch, repositoryUpdate];
}

/** Records `worker_lost`. A repository that is being removed keeps its state. */
async function recordWorkerLost(
  tx: Queries,
  ref: RepositoryRef,
  { state, error }: Repository,
  { deadAfter, stopReason }: Pick<KeyedJobs, 'deadAfter' | 'stopReason'>,
  now: number,
): Promise<void> {
  if (state === 'removing' && error?.code === 'worker_lost') return;
  const next = state === 'removing' ? 'remove it again' : 'sync the repository';
  const reason = stopReason ?? `The worker crashed ${deadAfter} times while processing this repository.`;
  const lost: RepositoryError = {
    code: 'worker_lost',
    message: `${reason} Check the log of the worker, then ${next}.`,
  };
  await recordFailure(tx, ref, { error: lost, final: state !== 'removing' }, now, [state]);
}
