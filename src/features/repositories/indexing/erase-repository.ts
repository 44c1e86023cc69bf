import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { deleteDeadJobs } from '../../../foundation/jobs/inspect/retry-jobs.ts';
import { isLastRun } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { SourceGate } from '../../githosts/source-access.ts';
import { organizationScope } from '../../identity/people/organization-store.ts';
import { repositoryProject } from '../../knowledge/projection/tasks.ts';
import { deleteRepository } from '../repository-state-store.ts';
import { getRepository } from '../repository-store.ts';
import { type RepositoryPayload, repositoryTasks } from '../tasks.ts';
import type { WorkDeps } from '../work/repository-work.ts';
import { mirrorPath, removeMirror } from './mirror-path.ts';

/**
 * Deletes the index, mirror, webhook, dead jobs and row of a repository, as the job of `removeRepository`. The row is deleted
 * last, so that the job can be retried until then; each step is idempotent. The job of the graph then removes what it
 * knows about the repository.
 */
export async function eraseRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  const { queries } = deps.database;
  const scope = await organizationScope(queries, payload.organizationId);
  const repository = scope && (await getRepository(queries, scope, payload.repositoryId));
  if (scope === undefined || repository?.state !== 'removing') return;
  await deps.codeIndex.remove(scope, repository.id);
  await removeMirror(mirrorPath(deps.git.dataDir, scope, repository.id));
  await stopPushes(deps, { ...repository, organizationId: scope.organizationId }, context);
  await deps.database.transaction(async (tx) => {
    for (const task of [...repositoryTasks, repositoryProject]) await deleteDeadJobs(tx, task, repository.id);
    await deleteRepository(tx, { scope, id: repository.id });
    await enqueue(tx, repositoryProject, payload);
  });
}

/** Removes the webhook of a repository. A host that still refuses at the last attempt keeps it; its pushes are ignored. */
async function stopPushes(
  { sources }: WorkDeps,
  repository: Parameters<SourceGate['unwatch']>[0] & { readonly id: string },
  context: JobContext,
): Promise<void> {
  try {
    await sources?.unwatch(repository, context.signal);
  } catch (error) {
    const isFinal = error instanceof OrgctxError && isLastRun(error, context);
    const details = { err: error, repositoryId: repository.id };
    context.log.warn(details, 'the webhook of a removed repository was not removed at its Git host');
    if (context.signal.aborted || !isFinal) throw error;
  }
}
