import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Role } from '../access/principal.ts';
import type { AuditActor } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { requireAuthority } from './member-rights.ts';
import { findMember, type Member } from './member-store.ts';
import { lockOrganization, putMembership } from './membership-store.ts';

/**
 * Changes the role of a member.
 * @throws NotFound, the same for an unknown user and a member of another organization; Forbidden if the actor lacks the
 * right; Conflict for the last owner
 */
export async function changeRole(
  { database, clock }: IdentityDeps,
  scope: OrgScope,
  actor: AuditActor,
  { userId, role }: { readonly userId: UserId; readonly role: Role },
): Promise<Member> {
  return database.transaction(async (tx) => {
    // Serializes role changes of an organization, so that each is checked against the current roles.
    await lockOrganization(tx, scope.organizationId);
    const member = await findMember(tx, scope, { userId });
    if (member === undefined) throw noSuchMember();
    await requireAuthority(tx, scope, actor, member.role);
    await requireAuthority(tx, scope, actor, role);
    if (member.role === role) return member;
    const now = clock();
    await putMembership(tx, { organizationId: scope.organizationId, userId, role }, now);
    const entry = { organizationId: scope.organizationId, actor, action: 'member.changed', target: userId };
    const details = { email: member.email, from: member.role, to: role };
    await recordAudit(tx, { ...entry, details }, now);
    return { ...member, role };
  });
}

export function noSuchMember(): NotFound {
  return new NotFound('There is no such member in this organization: list its members to see their ids.');
}
