import { GitError } from '../../foundation/git/git-error.ts';
import { cloneMirror, fetchMirror, type Mirrored } from '../../foundation/git/mirror.ts';
import { parseSource } from '../../foundation/git/parse-source.ts';
import { readsFrom } from '../../foundation/git/reads-from.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import { dropDamagedMirror, hasMirror } from './mirror-path.ts';
import { changeState, recordLeftOut } from './repository-state-store.ts';
import { type Work, type WorkDeps, workOn } from './repository-work.ts';
import { type RepositoryPayload, repositoryIndex } from './tasks.ts';

/** The job behind add and sync: brings the mirror up to its source, then hands the repository on to be indexed. */
export async function cloneRepository(
  deps: WorkDeps,
  payload: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  await workOn(deps, 'cloning', payload, context, async (work) => {
    const { leftOut } = await bringMirror(deps, work);
    work.signal.throwIfAborted();
    await deps.database.transaction(async (tx) => {
      if (!(await changeState(tx, work.ref, 'indexing', deps.clock()))) return;
      await recordLeftOut(tx, work.ref, leftOut);
      await enqueue(tx, repositoryIndex, payload);
    });
  });
}

async function bringMirror(deps: WorkDeps, { repository, gitDir, show, signal }: Work): Promise<Mirrored> {
  // The operator's consent to a folder was asked when it was added; where a source leads is checked at each contact.
  const source = parseSource(repository.source, {
    allowLocal: repository.sourceKind === 'folder',
    allowHosts: deps.git.allowHosts,
  });
  if (source.kind === 'folder' && (await readsFrom(deps.git.dataDir, source.url))) {
    throw new GitError('not_found', 'The folder cannot be read any more. Ask whoever runs this service.');
  }
  const request = {
    source,
    ...(repository.branch === undefined ? {} : { branch: repository.branch }),
    branches: repository.furtherBranches,
    gitDir,
    onProgress: show,
    signal,
    deps: deps.git,
  };
  if (await hasMirror(gitDir)) {
    try {
      return await fetchMirror(request);
    } catch (error) {
      await dropDamagedMirror(gitDir, error);
      if (await hasMirror(gitDir)) throw error;
    }
  }
  return cloneMirror(request);
}
