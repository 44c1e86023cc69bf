import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden } from '../../../foundation/kernel/errors.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { DataScope, OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Role } from '../access/principal.ts';
import type { AuditActor } from '../audit/audit.ts';
import { findMember } from './member-store.ts';

/**
 * Requires that the actor may give, change or remove a role: admins those of admins and members; owners and the host
 * operator every role (contract section 3, roles). Call it inside the transaction, in which the actor's role cannot
 * change.
 * @throws Forbidden, which names the roles that may do it
 */
export async function requireAuthority(
  tx: Queries,
  scope: OrgScope,
  actor: AuditActor,
  role: Role,
): Promise<void> {
  if (actor.kind !== 'user') return;
  const own = (await findMember(tx, scope, { userId: actor.userId }))?.role;
  if (own !== undefined && covers(own, role)) return;
  throw new Forbidden(
    'forbidden',
    own === 'admin'
      ? 'Only owners can add, change or remove owners. Ask one of them.'
      : 'This needs the role "admin" in the organization. Ask one of its admins or owners.',
  );
}

/** Returns whether a user other than the actor could give the role. A disabled user cannot. */
export async function hasAuthority(
  tx: Queries,
  scope: DataScope,
  userId: UserId,
  role: Role,
): Promise<boolean> {
  const member = await findMember(tx, scope, { userId });
  return member !== undefined && !member.disabled && covers(member.role, role);
}

function covers(own: Role, role: Role): boolean {
  return own === 'owner' || (own === 'admin' && role !== 'owner');
}
