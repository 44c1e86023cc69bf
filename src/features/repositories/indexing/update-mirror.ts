import {
  cloneMirror,
  fetchMirror,
  type Mirrored,
  type MirrorRequest,
} from '../../../foundation/git/mirror/mirror.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import { reachRepository } from '../reach-repository.ts';
import type { Work, WorkDeps } from '../reconciling/repository-work.ts';
import { changeState, recordSkippedBranches } from '../repository-state-store.ts';
import { type RepositoryPayload, repositoryClone } from '../tasks.ts';
import { dropDamagedMirror, hasMirror } from './mirror-path.ts';

/** Updates the mirror from its source, or creates it. */
export async function createOrFetchMirror(deps: WorkDeps, work: Work): Promise<Mirrored> {
  const fetched = await fetchExistingMirror(deps, work);
  return fetched ?? readSource(deps, work, cloneMirror);
}

/**
 * Updates the mirror from its source. Returns `undefined` if there is none, or none any more because it was damaged.
 */
export async function fetchExistingMirror(deps: WorkDeps, work: Work): Promise<Mirrored | undefined> {
  const { gitDir } = work;
  if (!(await hasMirror(gitDir))) return undefined;
  try {
    return await readSource(deps, work, fetchMirror);
  } catch (error) {
    await dropDamagedMirror(gitDir, error);
    if (await hasMirror(gitDir)) throw error;
    return undefined;
  }
}

function readSource(
  deps: WorkDeps,
  work: Work,
  read: (request: MirrorRequest) => Promise<Mirrored>,
): Promise<Mirrored> {
  const { gitDir, show } = work;
  return reachRepository(deps, work, (request) => read({ ...request, gitDir, onProgress: show }), {
    locate: true,
  });
}

/** Records an updated mirror, and enqueues the task that indexes it. */
export async function recordMirrored(
  { database, clock }: WorkDeps,
  { ref, signal }: Work,
  { skippedBranches }: Mirrored,
  next: Task<RepositoryPayload>,
): Promise<void> {
  signal.throwIfAborted();
  await database.transaction(async (tx) => {
    if (!(await changeState(tx, ref, 'indexing', clock()))) return;
    await recordSkippedBranches(tx, ref, skippedBranches);
    await enqueue(tx, next, { organizationId: ref.scope.organizationId, repositoryId: ref.id });
  });
}

/** Leaves a repository without mirror or index to the clone job, which runs in the slots of long work. */
export async function leaveToClone({ database, clock }: WorkDeps, { ref }: Work): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await changeState(tx, ref, 'queued', clock()))) return;
    await enqueue(tx, repositoryClone, { organizationId: ref.scope.organizationId, repositoryId: ref.id });
  });
}
