import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { type WorkDeps, workOn } from '../reconciling/repository-work.ts';
import { type RepositoryPayload, repositoryIndex } from '../tasks.ts';
import { createOrFetchMirror, recordMirrored } from './update-mirror.ts';

/** Creates or updates the mirror and enqueues the indexing, as the job of an added repository. */
export async function cloneRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await workOn(deps, 'cloning', payload, context, async (work) => {
    await recordMirrored(deps, work, await createOrFetchMirror(deps, work), repositoryIndex);
  });
}
