import { dirname } from 'node:path';
import type { Queries } from '../../foundation/db/database.ts';
import { sweepLeftovers } from '../../foundation/git/mirror-folder.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { Task } from '../../foundation/jobs/task.ts';
import { mirrorPath } from './mirror-path.ts';
import type { Repository } from './repository.ts';
import { changeState, clearIndex, type RepositoryRef, recordIndex } from './repository-state-store.ts';
import { listEveryRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { type RepositoryPayload, repositoryClone, repositoryRemove } from './tasks.ts';

/**
 * At the start of a worker: every row is brought to agree with its index manifest, which is the truth of answers
 * (a kill may fall between the two), and work that was under way gets a job where it has lost its own. A job too
 * many does no harm: it coalesces, and repeated work finds nothing to do. What killed clones left behind goes too.
 */
export async function repairRepositories(deps: WorkDeps): Promise<void> {
  const folders = new Set<string>();
  for await (const { ref, repository } of listEveryRepository(deps.database.queries)) {
    folders.add(dirname(mirrorPath(deps.git.dataDir, ref.scope, ref.id)));
    const lost = await repairIndex(deps, ref, repository);
    const task = lost ? repositoryClone : unfinished(repository);
    if (task !== undefined) await requeue(deps, ref, task, lost);
  }
  for (const folder of folders) await sweepLeftovers(folder);
}

/** True when the row promises an index that is not there. */
async function repairIndex(
  { database, codeIndex, clock }: WorkDeps,
  ref: RepositoryRef,
  repository: Repository,
): Promise<boolean> {
  if (repository.state === 'removing') return false;
  const status = await codeIndex.status(ref.scope, ref.id);
  if (status === undefined) {
    if (repository.indexedCommit === undefined) return false;
    await clearIndex(database.queries, ref);
    return true;
  }
  const agrees =
    status.commit === repository.indexedCommit && status.generation === repository.indexGeneration;
  if (!agrees) await recordIndex(database.queries, ref, status, clock());
  return false;
}

function unfinished({ state }: Repository): Task<RepositoryPayload> | undefined {
  if (state === 'removing') return repositoryRemove;
  return state === 'indexed' || state === 'failed' ? undefined : repositoryClone;
}

async function requeue(
  { database, clock }: WorkDeps,
  ref: RepositoryRef,
  task: Task<RepositoryPayload>,
  lost: boolean,
): Promise<void> {
  const payload = { organizationId: ref.scope.organizationId, repositoryId: ref.id };
  await database.transaction(async (tx: Queries) => {
    if (lost) await changeState(tx, ref, 'queued', clock(), ['indexed', 'failed']);
    await enqueue(tx, task, payload);
  });
}
