import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { InvitationId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { requireAuthority } from '../people/member-rights.ts';
import { endInvitations } from './invitation-store.ts';

/**
 * Revokes an open invitation, so that its link is no longer valid.
 * @throws NotFound, the same for an invitation that is unknown, of another organization, or no longer open; Forbidden
 * if the actor lacks the right
 */
export async function revokeInvitation(
  { database, clock }: IdentityDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: InvitationId,
): Promise<void> {
  await database.transaction(async (tx) => {
    const now = clock();
    await requireAuthority(tx, scope, actor, 'member');
    const [ended] = await endInvitations(tx, scope, { id }, now);
    if (ended === undefined) throw noSuchInvitation();
    await requireAuthority(tx, scope, actor, ended.role);
    const entry = { organizationId: scope.organizationId, actor, action: 'invitation.revoked', target: id };
    await recordAudit(tx, { ...entry, details: { email: ended.email, role: ended.role } }, now);
  });
}

export function noSuchInvitation(): NotFound {
  return new NotFound('There is no such open invitation in this organization.');
}
