import type { IndexStatus } from '../../../backends/codesearch/port.ts';
import { mirroredBranches } from '../../../foundation/git/mirror/mirrored-branches.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { repositoryProject } from '../../knowledge/projection/tasks.ts';
import { type Work, type WorkDeps, workOn } from '../reconciling/repository-work.ts';
import { changeState, recordIndex } from '../repository-state-store.ts';
import type { RepositoryPayload } from '../tasks.ts';
import { enqueueCompaction } from './compact-repository.ts';
import { beginDefinitions } from './define-repository.ts';
import { dropDamagedMirror, hasMirror } from './mirror-path.ts';
import { leaveToClone } from './update-mirror.ts';

/**
 * Updates the index of a repository from its mirror, as a job. Writes the manifest before the row: after a kill
 * between the two, the next run or `repairRepositories` corrects the row. The repository is searchable before the
 * definitions of its files are read. The graph does not wait for those, because it parses the files itself.
 */
export async function indexRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await workOn(deps, 'indexing', payload, context, async (work) => {
    // After a restored backup or a cleaned disk.
    if (!(await hasMirror(work.gitDir))) return leaveToClone(deps, work);
    const status = await updateIndex(deps, work).catch(async (error: unknown) => {
      await dropDamagedMirror(work.gitDir, error);
      throw error;
    });
    work.signal.throwIfAborted();
    await deps.database.transaction(async (tx) => {
      await recordIndex(tx, work.ref, status, deps.clock());
      await changeState(tx, work.ref, 'indexed', deps.clock());
      await enqueue(tx, repositoryProject, payload);
      if (status.needsCompaction) await enqueueCompaction(tx, payload, deps.clock());
    });
  });
  await beginDefinitions(deps, payload, context);
}

async function updateIndex({ codeIndex }: WorkDeps, work: Work): Promise<IndexStatus> {
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
