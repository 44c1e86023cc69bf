import { listEveryRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { resumeRepository } from './resume-repository.ts';

/** While a worker runs, now and then: what cannot wait for `repairRepositories` at the next start. Cheap when all is well. */
export async function tendRepositories(deps: WorkDeps): Promise<void> {
  for await (const { ref, repository } of listEveryRepository(deps.database.queries)) {
    await resumeRepository(deps, ref, repository, undefined);
  }
}
