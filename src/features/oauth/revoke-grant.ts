import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { UserId } from '../../foundation/kernel/ids.ts';
import { revokeGrantsOf } from './grant-store.ts';

export interface RevokeGrantDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Ends one of the user's own grants: the client is out on its very next request.
 * @throws NotFound, the same for an id that is unknown, another's, or ended before
 */
export async function revokeGrant(deps: RevokeGrantDeps, userId: UserId, id: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const [revoked] = await revokeGrantsOf(tx, { userId, id }, deps.clock());
    if (revoked === undefined) throw new NotFound('You have no such grant: list yours to see their ids.');
  });
}
