import type { Mirrored } from '../../../foundation/git/mirror/mirror.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { type Work, type WorkDeps, workOn } from '../reconciling/repository-work.ts';
import { type RepositoryPayload, repositoryUpdate } from '../tasks.ts';
import { fetchExistingMirror, leaveToClone, recordMirrored } from './update-mirror.ts';

/** Time limit of a fetch in the slots of pushes, in milliseconds. */
const defaultFetchMs = 60_000;

/**
 * Updates the mirror of an indexed repository and enqueues the update of its index, as the job of a push or a sync.
 * Leaves what takes long to the clone job, also a fetch from a slow host: this job has a slot that pushes to other
 * repositories need.
 */
export async function fetchRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await workOn(deps, 'cloning', payload, context, async (work) => {
    const isIndexed = work.repository.indexedCommit !== undefined;
    const mirrored = isIndexed ? await fetchSoon(deps, work) : undefined;
    if (mirrored === undefined) await leaveToClone(deps, work);
    else await recordMirrored(deps, work, mirrored, repositoryUpdate);
  });
}

/** Returns `undefined` if there is no mirror, or the fetch did not end in time. */
async function fetchSoon(deps: WorkDeps, work: Work): Promise<Mirrored | undefined> {
  const limit = AbortSignal.timeout(deps.fetchMs ?? defaultFetchMs);
  try {
    return await fetchExistingMirror(deps, { ...work, signal: AbortSignal.any([work.signal, limit]) });
  } catch (error) {
    if (limit.aborted && !work.signal.aborted) return undefined;
    throw error;
  }
}
