import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { OrganizationId, UserId } from '../../foundation/kernel/ids.ts';
import { revokeGrantsOf } from './grant-store.ts';

export interface RevokeGrantDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Ends one of the user's own grants: the client is out on its very next request. With `organizationId`, only one that
 * is bound to that organization.
 * @throws NotFound, the same for an id that is unknown, another's, bound elsewhere, or ended before
 */
export async function revokeGrant(
  deps: RevokeGrantDeps,
  userId: UserId,
  id: string,
  organizationId?: OrganizationId,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const [revoked] = await revokeGrantsOf(tx, { userId, id, organizationId }, deps.clock());
    if (revoked === undefined) throw new NotFound('You have no such grant: list yours to see their ids.');
  });
}
