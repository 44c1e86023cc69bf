import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden } from '../../../foundation/kernel/errors.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Role } from '../access/principal.ts';
import type { AuditActor } from '../audit/audit.ts';
import { findMember } from './member-store.ts';

/**
 * Whether the actor may give, change or take a role: an admin those of admins and members, an owner every one, the
 * host's operator too (contract section 3, roles). Asked inside the transaction, where the actor's role cannot change.
 * @throws Forbidden naming who may
 */
export async function requireSway(
  tx: Queries,
  scope: OrgScope,
  actor: AuditActor,
  role: Role,
): Promise<void> {
  if (actor.kind !== 'user') return;
  const own = (await findMember(tx, scope, { userId: actor.userId }))?.role;
  if (own !== undefined && reaches(own, role)) return;
  throw new Forbidden(
    'forbidden',
    own === 'admin'
      ? 'Only owners make, change and remove owners. Ask one of them.'
      : 'This needs the role "admin" in the organization. Ask one of its admins or owners.',
  );
}

/** Whether a user who does not act right now could give that role: a disabled one could not. */
export async function hasSway(
  tx: Queries,
  scope: Pick<OrgScope, 'organizationId'>,
  userId: UserId,
  role: Role,
): Promise<boolean> {
  const member = await findMember(tx, scope, { userId });
  return member !== undefined && !member.disabled && reaches(member.role, role);
}

function reaches(own: Role, role: Role): boolean {
  return own === 'owner' || (own === 'admin' && role !== 'owner');
}
