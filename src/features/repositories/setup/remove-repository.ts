import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { auditRepository } from '../audit-repository.ts';
import type { RepositoriesDeps } from '../repositories-deps.ts';
import type { Repository } from '../repository.ts';
import { changeState } from '../repository-state-store.ts';
import { requireRepository } from '../repository-store.ts';
import { repositoryRemove } from '../tasks.ts';

/**
 * Starts to remove a repository. From now on searches exclude it, and work on it stops at its next step. Idempotent.
 * @throws NotFound, for unknown ids and for ids of other organizations alike.
 */
export async function removeRepository(
  deps: Pick<RepositoriesDeps, 'database' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: RepositoryId,
): Promise<Repository> {
  return deps.database.transaction(async (tx) => {
    const before = await requireRepository(tx, scope, id);
    await changeState(tx, { scope, id }, 'removing', deps.clock());
    const repository = await requireRepository(tx, scope, id);
    if (before.state !== 'removing') {
      await auditRepository(tx, scope, actor, { action: 'removed', repository }, deps.clock());
    }
    await enqueue(tx, repositoryRemove, { organizationId: scope.organizationId, repositoryId: id });
    return repository;
  });
}
