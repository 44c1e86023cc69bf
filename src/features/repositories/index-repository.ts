import type { IndexStatus } from '../../backends/codesearch/port.ts';
import { mirroredBranches } from '../../foundation/git/mirrored-branches.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import { dropDamagedMirror, hasMirror } from './mirror-path.ts';
import { changeState, recordIndex } from './repository-state-store.ts';
import { type Work, type WorkDeps, workOn } from './repository-work.ts';
import { type RepositoryPayload, repositoryClone } from './tasks.ts';
import { enqueueTidy } from './tidy-repository.ts';

/**
 * Brings the index of a repository up to its mirror. The manifest comes first and the row after it: a kill between
 * the two leaves a row that the next run, or `repairRepositories`, corrects.
 */
export async function indexRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await workOn(deps, 'indexing', payload, context, async (work) => {
    if (!(await hasMirror(work.gitDir))) return cloneFirst(deps, payload, work);
    const status = await bringIndex(deps, work).catch(async (error: unknown) => {
      await dropDamagedMirror(work.gitDir, error);
      throw error;
    });
    work.signal.throwIfAborted();
    await deps.database.transaction(async (tx) => {
      await recordIndex(tx, work.ref, status, deps.clock());
      await changeState(tx, work.ref, 'indexed', deps.clock());
      if (status.untidy) await enqueueTidy(tx, payload, deps.clock());
    });
  });
}

async function bringIndex({ codeIndex }: WorkDeps, work: Work): Promise<IndexStatus> {
  const { ref, repository, gitDir, signal } = work;
  const request = {
    scope: ref.scope,
    repository,
    gitDir,
    branches: await mirroredBranches(gitDir),
    onProgress: (done: number, total: number) => work.show({ phase: 'indexing files', done, total }),
  };
  return codeIndex.apply(request, signal);
}

/** The mirror was lost (a restored backup, a cleaned disk): nothing to index until it is back. */
async function cloneFirst(
  { database, clock }: WorkDeps,
  payload: RepositoryPayload,
  { ref }: Work,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (await changeState(tx, ref, 'queued', clock())) await enqueue(tx, repositoryClone, payload);
  });
}
