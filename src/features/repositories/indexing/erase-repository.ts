import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { deleteDeadJobs } from '../../../foundation/jobs/inspect/retry-jobs.ts';
import { leaveHook } from '../../githosts/remove-hook.ts';
import { organizationScope } from '../../identity/people/organization-store.ts';
import { repositoryProject } from '../../knowledge/projection/tasks.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import { deleteRepository } from '../repository-state-store.ts';
import { getRepository } from '../repository-store.ts';
import { type RepositoryPayload, repositoryTasks } from '../tasks.ts';
import { mirrorPath, removeMirror } from './mirror-path.ts';

/**
 * Deletes the index, mirror, dead jobs and row of a repository, as the job of `removeRepository`. The row is deleted
 * last, so that the job can be retried until then; each step is idempotent. Jobs of their own then remove what the
 * graph knows about the repository, and its webhook.
 */
export async function eraseRepository(deps: WorkDeps, payload: RepositoryPayload): Promise<void> {
  const { queries } = deps.database;
  const scope = await organizationScope(queries, payload.organizationId);
  const repository = scope && (await getRepository(queries, scope, payload.repositoryId));
  if (scope === undefined || repository?.state !== 'removing') return;
  await deps.codeIndex.remove(scope, repository.id);
  await removeMirror(mirrorPath(deps.git.dataDir, scope, repository.id));
  await deps.database.transaction(async (tx) => {
    for (const task of [...repositoryTasks, repositoryProject]) await deleteDeadJobs(tx, task, repository.id);
    await deleteRepository(tx, { scope, id: repository.id });
    await enqueue(tx, repositoryProject, payload);
    await leaveHook(tx, scope.organizationId, repository);
  });
}
