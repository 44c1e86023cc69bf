import type { Queries } from '../../foundation/db/database.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { auditRepository } from './audit-repository.ts';
import type { RepositoriesDeps } from './repositories-deps.ts';
import type { Repository } from './repository.ts';
import { changeState } from './repository-state-store.ts';
import { getRepository, requireRepository } from './repository-store.ts';
import { repositoryClone, repositoryFetch } from './tasks.ts';

/**
 * Starts a sync of a repository with its source; the last good index stays searchable. A request during a run causes
 * another run; two requests before a run cause one.
 * @throws NotFound, for unknown ids and for ids of other organizations alike; Conflict while it is being removed.
 */
export async function syncRepository(
  deps: Pick<RepositoriesDeps, 'database' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: RepositoryId,
): Promise<Repository> {
  return deps.database.transaction(async (tx) => {
    const repository = await syncWithin(tx, scope, id, deps.clock());
    await auditRepository(tx, scope, actor, { action: 'synced', repository }, deps.clock());
    return repository;
  });
}

/** Starts a sync in the caller's transaction. @throws as `syncRepository` */
export async function syncWithin(
  tx: Queries,
  scope: OrgScope,
  id: RepositoryId,
  now: number,
): Promise<Repository> {
  const repository = await requireRepository(tx, scope, id);
  // Running work keeps its state, on which its next step depends.
  await changeState(tx, { scope, id }, 'queued', now, ['indexed', 'failed']);
  const after = await getRepository(tx, scope, id);
  if (after === undefined || after.state === 'removing') {
    throw new Conflict('conflict', `${repository.name} is being removed. Add it again when it is gone.`);
  }
  const payload = { organizationId: scope.organizationId, repositoryId: id };
  // Runs now, even if a failed run waits for its back-off: the user may have fixed the cause.
  await enqueue(tx, updateTask(after), payload, { runAt: now });
  return after;
}

/** Returns the task that reads the source again: a repository without an index needs its first, long clone. */
function updateTask({ indexedCommit }: Repository): typeof repositoryClone {
  return indexedCommit === undefined ? repositoryClone : repositoryFetch;
}
