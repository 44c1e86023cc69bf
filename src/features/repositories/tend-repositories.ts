import { hasMirror, mirrorPath } from './mirror-path.ts';
import type { Repository } from './repository.ts';
import type { RepositoryRef } from './repository-state-store.ts';
import { listEveryRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { resumeRepository } from './resume-repository.ts';

/**
 * While a worker runs, now and then: what cannot wait for `repairRepositories` at the next start, such as an index that
 * got lost, or that whoever answers from it found damaged. Cheap when all is well.
 */
export async function tendRepositories(deps: WorkDeps): Promise<void> {
  for await (const { ref, repository } of listEveryRepository(deps.database.queries)) {
    await resumeRepository(deps, ref, repository, await isDamaged(deps, ref, repository));
  }
}

async function isDamaged(
  { codeIndex, git }: WorkDeps,
  ref: RepositoryRef,
  { state, indexedCommit }: Repository,
): Promise<boolean> {
  if (state === 'removing' || indexedCommit === undefined) return false;
  // What could not be cloned is tried again by a sync, not now and then for ever.
  if (state === 'failed' && !(await hasMirror(mirrorPath(git.dataDir, ref.scope, ref.id)))) return false;
  return codeIndex.isDamaged(ref.scope, ref.id);
}
