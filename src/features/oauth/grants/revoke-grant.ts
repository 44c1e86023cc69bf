import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { isUuid, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import type { AuditActor } from '../../identity/audit.ts';
import { recordAudit } from '../../identity/audit-store.ts';
import { revokeGrantsOf } from './grant-store.ts';

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
  const now = clock();
  await database.transaction(async (tx) => {
    // Anything else is no id of ours, and some databases refuse such characters.
    const [revoked] = isUuid(grant.id) ? await revokeGrantsOf(tx, grant, now) : [];
    if (revoked === undefined) throw new NotFound('You have no such grant: list yours to see their ids.');
    const { id: target, organizationId, clientName: client } = revoked;
    await recordAudit(
      tx,
      { actor, organizationId, action: 'grant.revoked', target, details: { client } },
      now,
    );
  });
}
