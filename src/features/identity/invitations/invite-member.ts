import { Conflict } from '../../../foundation/kernel/errors.ts';
import { type InvitationId, newId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Role } from '../access/principal.ts';
import type { AuditActor } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { requireAuthority } from '../people/member-rights.ts';
import { findMember } from '../people/member-store.ts';
import { lockOrganization } from '../people/membership-store.ts';
import { checkEmail } from '../people/user.ts';
import { hashToken, newSecretToken } from '../secret-token.ts';
import { type Invitation, invitationLimits } from './invitation.ts';
import { countOpenInvitations, endInvitations, insertInvitation, toInvitation } from './invitation-store.ts';

export interface NewInvitation {
  readonly email: string;
  readonly role: Role;
}

export interface CreatedInvitation {
  readonly invitation: Invitation;
  /** The token of the link. Only its hash is stored, so it cannot be returned again. */
  readonly token: string;
}

/**
 * Invites a person to the organization. Revokes earlier open invitations of the same e-mail address.
 * @throws InvalidInput for an invalid address; Forbidden if the actor may not give that role, or the role of an earlier
 * invitation; Conflict if the person is already a member, or if too many invitations are open
 */
export async function inviteMember(
  { database, clock }: IdentityDeps,
  scope: OrgScope,
  actor: AuditActor,
  request: NewInvitation,
): Promise<CreatedInvitation> {
  const email = checkEmail(request.email);
  const now = clock();
  const token = newSecretToken();
  const row = {
    id: newId<InvitationId>(now),
    organization_id: scope.organizationId,
    email,
    role: request.role,
    hash: hashToken(token),
    invited_by: actor.kind === 'user' ? actor.userId : null,
    expires_at: now + invitationLimits.lifetimeMs,
    accepted_at: null,
    revoked_at: null,
    created_at: now,
  };
  await database.transaction(async (tx) => {
    // Serializes concurrent invitations, so that the checks and the limit see all of them.
    await lockOrganization(tx, scope.organizationId);
    await requireAuthority(tx, scope, actor, request.role);
    if ((await findMember(tx, scope, { email })) !== undefined) throw alreadyMember(email);
    const ended = await endInvitations(tx, scope, { email }, now);
    // An admin may not revoke an invitation as owner, so replacing one is refused too.
    for (const invitation of ended) await requireAuthority(tx, scope, actor, invitation.role);
    if ((await countOpenInvitations(tx, scope, now)) >= invitationLimits.open) throw tooMany();
    await insertInvitation(tx, row);
    const entry = { organizationId: scope.organizationId, actor, action: 'invitation.created' };
    await recordAudit(tx, { ...entry, target: row.id, details: { email, role: request.role } }, now);
  });
  return { invitation: toInvitation(row), token };
}

function alreadyMember(email: string): Conflict {
  return new Conflict(
    'conflict',
    `${email} is already a member: change their role instead of inviting them.`,
  );
}

function tooMany(): Conflict {
  return new Conflict(
    'conflict',
    `An organization can have at most ${invitationLimits.open} open invitations: delete those that are not needed.`,
  );
}
