import type { Queries } from '../../../foundation/db/database.ts';
import { mirroredBranches } from '../../../foundation/git/mirror/mirrored-branches.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { repeatEvery } from '../../../foundation/jobs/worker/repeat.ts';
import { organizationScope } from '../../identity/people/organization-store.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import { type RepositoryRef, recordIndex } from '../repository-state-store.ts';
import { getRepository } from '../repository-store.ts';
import { type RepositoryPayload, repositoryCompact } from '../tasks.ts';
import { hasMirror, mirrorPath } from './mirror-path.ts';

/** Delay of a compaction, in milliseconds. Pushes come in groups, and the next one must not wait for it. */
const compactionDelayMs = 2_000;
/** Interval between two checks for a pending push, in milliseconds: the maximum time that a push waits. */
const checkIntervalMs = 100;

/** Enqueues the compaction of an index, after a short delay. */
export async function enqueueCompaction(tx: Queries, payload: RepositoryPayload, now: number): Promise<void> {
  await enqueue(tx, repositoryCompact, payload, { runAt: now + compactionDelayMs });
}

/**
 * Compacts the index of a repository, as a job, after pushes have left it fragmented. Stops as soon as other work on
 * the repository is pending; the job of that work enqueues the compaction again if it is still needed.
 */
export async function compactRepository(
  deps: WorkDeps,
  { organizationId, repositoryId }: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  const scope = await organizationScope(deps.database.queries, organizationId);
  if (scope === undefined) return;
  const ref: RepositoryRef = { scope, id: repositoryId };
  const repository = await getRepository(deps.database.queries, scope, repositoryId);
  const gitDir = mirrorPath(deps.git.dataDir, scope, repositoryId);
  if (repository?.state !== 'indexed' || !(await hasMirror(gitDir))) return;
  const branches = await mirroredBranches(gitDir);
  await whileIndexed(deps, ref, context.signal, async (signal) => {
    const status = await deps.codeIndex.compact({ scope, repository, gitDir, branches }, signal);
    await deps.database.transaction(async (tx) => {
      await context.assertHeld(tx);
      await recordIndex(tx, ref, status, deps.clock());
    });
  });
}

/** Runs work while the repository is indexed. Aborts it when the state changes, for example when a push is pending. */
async function whileIndexed(
  { database }: WorkDeps,
  ref: RepositoryRef,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const interrupted = new AbortController();
  const watch = repeatEvery(
    checkIntervalMs,
    async () => {
      const repository = await getRepository(database.queries, ref.scope, ref.id);
      if (repository?.state !== 'indexed') interrupted.abort();
    },
    () => undefined,
  );
  try {
    await work(AbortSignal.any([signal, interrupted.signal]));
  } catch (error) {
    if (!interrupted.signal.aborted || signal.aborted) throw error;
  } finally {
    await watch.stop();
  }
}
