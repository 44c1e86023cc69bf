import type { Database, Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { isUuid, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { findGrantUser, type GrantsOf, revokeGrantsOf } from './grant-store.ts';

export interface RevokeGrantDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Which grant, and who ends it. */
export interface GrantToRevoke {
  readonly id: string;
  /** Whose it must be. */
  readonly userId: UserId;
  /** Given: to which it must be bound. */
  readonly organizationId?: OrganizationId | undefined;
  readonly actor: AuditActor;
}

/**
 * Ends one of the user's own grants: the client is out on its very next request.
 * @throws NotFound, the same for an id that is unknown, another's, bound elsewhere, or ended before
 */
export async function revokeGrant(
  { database, clock }: RevokeGrantDeps,
  { actor, ...grant }: GrantToRevoke,
): Promise<void> {
  await database.transaction(async (tx) => {
    // Anything else is no id of ours, and some databases refuse such characters.
    const ended = isUuid(grant.id) && (await endGrant(tx, grant, actor, clock()));
    if (!ended) throw new NotFound('You have no such grant: list yours to see their ids.');
  });
}

/**
 * Ends a grant by its id alone; nothing where it is unknown or ended already.
 * @param by its own client, which does so for its user, or the service, for a leak
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
    await endGrant(tx, { userId: user.userId, id }, actor, clock());
  });
}

/** True where it still held. */
async function endGrant(tx: Queries, grant: GrantsOf, actor: AuditActor, now: number): Promise<boolean> {
  const [ended] = await revokeGrantsOf(tx, grant, now);
  if (ended === undefined) return false;
  const { id: target, clientName: client, organizationId = null } = ended;
  await recordAudit(tx, { actor, organizationId, action: 'grant.revoked', target, details: { client } }, now);
  return true;
}
