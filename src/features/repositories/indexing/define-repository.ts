import type { IndexStatus } from '../../../backends/codesearch/port.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import { recordIndex } from '../repository-state-store.ts';
import { type RepositoryPayload, repositoryDefine } from '../tasks.ts';
import { type IdleRepository, whileIdle } from './while-idle.ts';

/**
 * Reads the definitions that an index job has left, as a job. Stops as soon as other work on the repository is pending;
 * the job of that work reads the rest.
 */
export async function defineRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await whileIdle(deps, payload, context.signal, async (idle, signal) => {
    let left = Number.POSITIVE_INFINITY;
    while (left > 0) left = (await defineSome(deps, idle, context, signal)).filesWithoutDefinitions;
  });
}

/**
 * Reads definitions right after a repository became searchable, for the few seconds of one call, because an index job
 * has a slot that others wait for. A job of its own reads the rest, also after an error: the repository is indexed.
 */
export async function beginDefinitions(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await whileIdle(deps, payload, context.signal, async (idle, signal) => {
    if (idle.repository.filesWithoutDefinitions === 0) return;
    try {
      const { filesWithoutDefinitions } = await defineSome(deps, idle, context, signal);
      if (filesWithoutDefinitions === 0) return;
    } catch (error) {
      signal.throwIfAborted();
      const { repositoryId } = payload;
      context.log.warn({ err: error, repositoryId }, 'reading definitions failed; it will be retried');
    }
    await enqueue(deps.database.queries, repositoryDefine, payload);
  });
}

/** Reads definitions for a few seconds, and records how many files are left. */
async function defineSome(
  { codeIndex, database, clock }: WorkDeps,
  { ref, request }: IdleRepository,
  context: JobContext,
  signal: AbortSignal,
): Promise<IndexStatus> {
  const status = await codeIndex.define(request, signal);
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    await recordIndex(tx, ref, status, clock());
  });
  return status;
}
