import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { endApiKeys } from '../api-keys/api-key-store.ts';
import type { AuditActor } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps, RevokeGrants } from '../identity-deps.ts';
import { noSuchMember } from './change-role.ts';
import { requireAuthority } from './member-rights.ts';
import { findMember } from './member-store.ts';
import { lockOrganization, removeMembership } from './membership-store.ts';

export interface RemoveMemberDeps extends IdentityDeps {
  readonly revokeGrants: RevokeGrants;
}

/**
 * Ends a membership; members may also leave by themselves. Every request checks the membership, so the user loses
 * access with the next request. Grants and keys bound to the organization are revoked permanently, even if the user
 * joins again later. Keys that open every organization of the user are kept, and would then open this organization
 * again.
 * @throws NotFound, the same for an unknown user and a member of another organization; Forbidden if the actor lacks the
 * right; Conflict for the last owner
 */
export async function removeMember(
  { database, clock, revokeGrants }: RemoveMemberDeps,
  scope: OrgScope,
  actor: AuditActor,
  userId: UserId,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockOrganization(tx, scope.organizationId);
    const isLeaving = actor.kind === 'user' && actor.userId === userId;
    const member = await findMember(tx, scope, { userId });
    if (!isLeaving) await requireAuthority(tx, scope, actor, member?.role ?? 'member');
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
