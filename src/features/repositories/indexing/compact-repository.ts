import type { Queries } from '../../../foundation/db/database.ts';
import { writeCommitGraph } from '../../../foundation/git/mirror/commit-graph.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import { recordIndex } from '../repository-state-store.ts';
import { type RepositoryPayload, repositoryCompact, repositoryDefine } from '../tasks.ts';
import { whileIdle } from './while-idle.ts';

/** Delay of a compaction, in milliseconds. Pushes come in groups, and the next one must not wait for it. */
const compactionDelayMs = 2_000;

/** Enqueues the compaction of an index, after a short delay. */
export async function enqueueCompaction(tx: Queries, payload: RepositoryPayload, now: number): Promise<void> {
  await enqueue(tx, repositoryCompact, payload, { runAt: now + compactionDelayMs });
}

/**
 * Compacts the index of a repository and prepares its history, as a job, after pushes. Stops as soon as other work on
 * the repository is pending; the job of that work enqueues the compaction again if it is still needed.
 */
export async function compactRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await whileIdle(deps, payload, context.signal, async ({ ref, request }, signal) => {
    await writeCommitGraph(request.gitDir, signal);
    const status = await deps.codeIndex.compact(request, signal);
    await deps.database.transaction(async (tx) => {
      await context.assertHeld(tx);
      await recordIndex(tx, ref, status, deps.clock());
      // A rebuilt index has no definitions yet.
      if (status.filesWithoutDefinitions > 0) await enqueue(tx, repositoryDefine, payload);
    });
  });
}
