import type { UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { AuditActor } from './audit.ts';
import { recordAudit } from './audit-store.ts';
import { noSuchMember } from './change-role.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { requireSway } from './member-rights.ts';
import { findMember } from './member-store.ts';
import { lockOrganization, removeMembership } from './membership-store.ts';

/**
 * Ends a membership; members may leave by themselves. Every request asks for the membership, so keys and grants of
 * the user open the organization no more from the next one on.
 * @throws NotFound, alike for somebody unknown and a member of another organization only; Forbidden where the actor
 * may not; Conflict for the last owner
 */
export async function removeMember(
  { database, clock }: IdentityDeps,
  scope: OrgScope,
  actor: AuditActor,
  userId: UserId,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockOrganization(tx, scope.organizationId);
    const leaves = actor.kind === 'user' && actor.userId === userId;
    const member = await findMember(tx, scope, { userId });
    if (!leaves) await requireSway(tx, scope, actor, member?.role ?? 'member');
    if (member === undefined) throw noSuchMember();
    await removeMembership(tx, { organizationId: scope.organizationId, userId });
    const entry = { organizationId: scope.organizationId, actor, action: 'member.removed', target: userId };
    await recordAudit(tx, { ...entry, details: { email: member.email, role: member.role } }, clock());
  });
}
