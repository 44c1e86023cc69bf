import type { Queries } from '../../foundation/db/database.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { keyedJobs } from '../../foundation/jobs/keyed-jobs.ts';
import type { Task } from '../../foundation/jobs/task.ts';
import type { Repository, RepositoryError } from './repository.ts';
import { changeState, type RepositoryRef, recordFailure } from './repository-state-store.ts';
import { getRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { type RepositoryPayload, repositoryClone, repositoryIndex, repositoryRemove } from './tasks.ts';

/**
 * Gives a repository the job it lacks: the one its state waits for, else, where `rebuild` says that the index is lost or
 * damaged, the one that builds it anew from the mirror (or clones first, where that is lost as well). A job that
 * waits or runs already is left to go on. Where the last one is dead, nothing is queued again, or a repository that
 * kills its worker would do so for ever: the record says `worker_lost`, and the next try is the user's (sync).
 */
export async function resumeRepository(
  { database, clock }: Pick<WorkDeps, 'database' | 'clock'>,
  ref: RepositoryRef,
  seen: Repository,
  rebuild: boolean,
): Promise<void> {
  const awaited = awaitedBy(seen);
  const task = awaited ?? (rebuild ? repositoryIndex : undefined);
  if (task === undefined) return;
  await database.transaction(async (tx: Queries) => {
    const present = await getRepository(tx, ref.scope, ref.id);
    // Work went on since it was seen: the next round sees how it ended.
    if (present?.state !== seen.state || present.stateChangedAt !== seen.stateChangedAt) return;
    const { pending, deadAfter } = await keyedJobs(tx, tasksThatCount(seen), ref.id);
    if (pending) return;
    // Dead jobs of an indexed repository are of former times: it has been indexed since.
    if (deadAfter > 0 && seen.state !== 'indexed') {
      if (awaited !== undefined) await giveUp(tx, ref, seen, deadAfter, clock());
      return;
    }
    if (rebuild) await changeState(tx, ref, 'indexing', clock(), ['indexed', 'failed']);
    await enqueue(tx, task, { organizationId: ref.scope.organizationId, repositoryId: ref.id });
  });
}

function awaitedBy({ state }: Repository): Task<RepositoryPayload> | undefined {
  if (state === 'removing') return repositoryRemove;
  return state === 'indexed' || state === 'failed' ? undefined : repositoryClone;
}

function tasksThatCount({ state }: Repository): readonly Pick<Task, 'name'>[] {
  return state === 'removing' ? [repositoryRemove] : [repositoryClone, repositoryIndex];
}

/** A repository being removed keeps its state; its record tells why it is still there. */
async function giveUp(
  tx: Queries,
  ref: RepositoryRef,
  { state, error }: Repository,
  attempts: number,
  now: number,
): Promise<void> {
  if (state === 'removing' && error?.code === 'worker_lost') return;
  const next = state === 'removing' ? 'remove it again' : 'sync the repository';
  const lost: RepositoryError = {
    code: 'worker_lost',
    message: `The worker died ${attempts} times on this repository. Look at the log of the worker, then ${next}.`,
  };
  await recordFailure(tx, ref, { error: lost, final: state !== 'removing' }, now, [state]);
}
