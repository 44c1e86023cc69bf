import { hasMirror, mirrorPath } from '../indexing/mirror-path.ts';
import type { Repository } from '../repository.ts';
import type { RepositoryRef } from '../repository-state-store.ts';
import { listEveryRepository } from '../repository-store.ts';
import { resumeRepository } from '../resume-repository.ts';
import type { WorkDeps } from './repository-work.ts';
import { resumeDefinitions } from './resume-definitions.ts';

/**
 * Resumes work that cannot wait for `repairRepositories` at the next start, such as rebuilding an index that was lost
 * or that a search found damaged, or reading definitions. Runs at intervals while a worker runs. Cheap if there is
 * nothing to do.
 */
export async function reconcileRepositories(deps: WorkDeps): Promise<void> {
  for await (const { ref, repository } of listEveryRepository(deps.database.queries)) {
    await resumeRepository(deps, ref, repository, await isDamaged(deps, ref, repository));
    await resumeDefinitions(deps, ref, repository);
  }
}

async function isDamaged(
  { codeIndex, git }: WorkDeps,
  ref: RepositoryRef,
  { state, indexedCommit }: Repository,
): Promise<boolean> {
  if (state === 'removing' || indexedCommit === undefined) return false;
  // A repository that could not be cloned is retried by a sync, not at every interval.
  if (state === 'failed' && !(await hasMirror(mirrorPath(git.dataDir, ref.scope, ref.id)))) return false;
  return codeIndex.isDamaged(ref.scope, ref.id);
}
