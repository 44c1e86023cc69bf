import type { Repository } from './repository.ts';
import type { RepositoryRef } from './repository-state-store.ts';
import { listEveryRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { type RebuildFrom, resumeRepository } from './resume-repository.ts';

/**
 * While a worker runs, now and then: what cannot wait for `repairRepositories` at the next start, such as an index that
 * whoever answers from it found damaged. Cheap when all is well.
 */
export async function tendRepositories(deps: WorkDeps): Promise<void> {
  for await (const { ref, repository } of listEveryRepository(deps.database.queries)) {
    await resumeRepository(deps, ref, repository, await damageOf(deps, ref, repository));
  }
}

async function damageOf(
  { codeIndex }: WorkDeps,
  ref: RepositoryRef,
  { state, indexedCommit }: Repository,
): Promise<RebuildFrom | undefined> {
  if (state === 'removing' || indexedCommit === undefined) return undefined;
  return (await codeIndex.isDamaged(ref.scope, ref.id)) ? 'mirror' : undefined;
}
