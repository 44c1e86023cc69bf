import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { recordAudit } from '../identity/audit/audit-store.ts';
import type { Repository } from './repository.ts';

interface RepositoryEvent {
  readonly action: 'added' | 'changed' | 'synced' | 'removed';
  readonly repository: Pick<Repository, 'id' | 'name'>;
  /** Must not contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records what was done to a repository, in the transaction of the change. */
export async function auditRepository(
  tx: Queries,
  { organizationId }: OrgScope,
  actor: AuditActor,
  { action, repository: { id, name }, details }: RepositoryEvent,
  now: number,
): Promise<void> {
  const entry = { organizationId, actor, action: `repository.${action}`, target: id };
  await recordAudit(tx, { ...entry, details: { ...details, name } }, now);
}
