import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { type RepositoryPayload, repositoryUpdate } from '../tasks.ts';
import { type WorkDeps, workOn } from '../work/repository-work.ts';
import { fetchExistingMirror, leaveToClone, recordMirrored } from './update-mirror.ts';

/**
 * Updates the mirror of an indexed repository and enqueues the update of its index, as the job of a push or a sync.
 * Leaves the rest to the clone job: it takes long, and this job has a slot that pushes to other repositories need.
 */
export async function fetchRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await workOn(deps, 'cloning', payload, context, async (work) => {
    const isIndexed = work.repository.indexedCommit !== undefined;
    const mirrored = isIndexed ? await fetchExistingMirror(deps, work) : undefined;
    if (mirrored === undefined) await leaveToClone(deps, work);
    else await recordMirrored(deps, work, mirrored, repositoryUpdate);
  });
}
