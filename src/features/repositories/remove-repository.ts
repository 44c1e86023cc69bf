import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { RepositoriesDeps } from './repositories-deps.ts';
import type { Repository } from './repository.ts';
import { changeState } from './repository-state-store.ts';
import { requireRepository } from './repository-store.ts';
import { repositoryRemove } from './tasks.ts';

/**
 * Begins to remove a repository: from this moment nothing answers from it, and work on it stops at its next step.
 * Asked again it changes nothing.
 * @throws NotFound, alike for unknown and foreign ids.
 */
export async function removeRepository(
  deps: Pick<RepositoriesDeps, 'database' | 'clock'>,
  scope: OrgScope,
  id: RepositoryId,
): Promise<Repository> {
  return deps.database.transaction(async (tx) => {
    await changeState(tx, { scope, id }, 'removing', deps.clock());
    const repository = await requireRepository(tx, scope, id);
    await enqueue(tx, repositoryRemove, { organizationId: scope.organizationId, repositoryId: id });
    return repository;
  });
}
