import type { Database, Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { isUuid, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { findGrantUser, type GrantFilter, revokeGrantsOf } from './grant-store.ts';

export interface RevokeGrantDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** A grant to revoke, and the actor who revokes it. */
export interface GrantToRevoke {
  readonly id: string;
  /** The user to whom the grant must belong. */
  readonly userId: UserId;
  /** The organization to which the grant must be bound. Default: any. */
  readonly organizationId?: OrganizationId | undefined;
  readonly actor: AuditActor;
}

/**
 * Revokes one of the user's own grants. The client loses access with its next request.
 * @throws NotFound with the same message for a grant that is unknown, of another user, bound to another organization,
 * or already revoked
 */
export async function revokeGrant(
  { database, clock }: RevokeGrantDeps,
  { actor, ...grant }: GrantToRevoke,
): Promise<void> {
  await database.transaction(async (tx) => {
    // Every grant id is a UUID, and some databases reject other characters.
    const revoked = isUuid(grant.id) && (await revokeAndRecord(tx, grant, actor, clock()));
    if (!revoked) throw new NotFound('You have no grant with this id. List your grants to see their ids.');
  });
}

/**
 * Revokes a grant by its id alone. Does nothing if it is unknown or already revoked.
 * @param by `client` if the grant's own client revokes it for its user, `service` after a leak
 */
export async function revokeGrantFor(
  by: 'client' | 'service',
  { database, clock }: RevokeGrantDeps,
  { id, address }: { readonly id: string; readonly address?: string | undefined },
): Promise<void> {
  await database.transaction(async (tx) => {
    const user = await findGrantUser(tx, id);
    if (user === undefined) return;
    const person: AuditActor = { kind: 'user', ...user, credential: `grant ${id}`, address };
    const actor: AuditActor = by === 'client' ? person : { kind: 'system' };
    await revokeAndRecord(tx, { userId: user.userId, id }, actor, clock());
  });
}

/** Revokes a grant and records it in the audit log. Returns false if the grant was not active. */
async function revokeAndRecord(
  tx: Queries,
  grant: GrantFilter,
  actor: AuditActor,
  now: number,
): Promise<boolean> {
  const [revoked] = await revokeGrantsOf(tx, grant, now);
  if (revoked === undefined) return false;
  const { id: target, clientName: client, organizationId = null } = revoked;
  await recordAudit(tx, { actor, organizationId, action: 'grant.revoked', target, details: { client } }, now);
  return true;
}
