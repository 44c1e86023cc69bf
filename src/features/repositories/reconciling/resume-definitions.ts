import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { keyedJobs } from '../../../foundation/jobs/inspect/keyed-jobs.ts';
import type { Repository } from '../repository.ts';
import type { RepositoryRef } from '../repository-state-store.ts';
import { repositoryCompact, repositoryDefine, repositoryTasks } from '../tasks.ts';
import type { WorkDeps } from './repository-work.ts';

/** The tasks that read definitions, or enqueue one that does. */
const readers = repositoryTasks.filter((task) => task !== repositoryCompact);

/**
 * Enqueues the job that reads the definitions of an indexed repository, if some are missing and no job of the
 * repository will read them, for example after a kill. A dead job is not replaced: an operator retries it.
 */
export async function resumeDefinitions(
  { database }: Pick<WorkDeps, 'database'>,
  ref: RepositoryRef,
  { state, filesWithoutDefinitions }: Pick<Repository, 'state' | 'filesWithoutDefinitions'>,
): Promise<void> {
  if (state !== 'indexed' || filesWithoutDefinitions === 0) return;
  await database.transaction(async (tx) => {
    if ((await keyedJobs(tx, readers, ref.id)).pending) return;
    if ((await keyedJobs(tx, [repositoryDefine], ref.id)).deadAfter > 0) return;
    await enqueue(tx, repositoryDefine, {
      organizationId: ref.scope.organizationId,
      repositoryId: ref.id,
    });
  });
}
