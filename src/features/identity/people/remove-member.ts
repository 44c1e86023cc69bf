import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { endApiKeys } from '../api-keys/api-key-store.ts';
import type { AuditActor } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps, RevokeGrants } from '../identity-deps.ts';
import { noSuchMember } from './change-role.ts';
import { requireSway } from './member-rights.ts';
import { findMember } from './member-store.ts';
import { lockOrganization, removeMembership } from './membership-store.ts';

export interface RemoveMemberDeps extends IdentityDeps {
  readonly revokeGrants: RevokeGrants;
}

/**
 * Ends a membership; members may leave by themselves. Every request asks for the membership, so nothing of the user
 * opens the organization from the next one on. Grants and keys that were bound to it end for good, also for who is let
 * in again later. A key that opens every organization of its user is the user's own, and then opens this one again too.
 * @throws NotFound, alike for somebody unknown and a member of another organization only; Forbidden where the actor
 * may not; Conflict for the last owner
 */
export async function removeMember(
  { database, clock, revokeGrants }: RemoveMemberDeps,
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
    const now = clock();
    const { organizationId } = scope;
    await removeMembership(tx, { organizationId, userId });
    const grants = (await revokeGrants(tx, { organizationId, userId }, now)).length;
    const apiKeys = await endApiKeys(tx, { organizationId, userId }, now);
    const details = { email: member.email, role: member.role, ended: { grants, apiKeys } };
    await recordAudit(tx, { organizationId, actor, action: 'member.removed', target: userId, details }, now);
  });
}
