import type { Queries } from '../../../foundation/db/database.ts';

/** Seconds that a registration is there for before somebody lets its client in. */
export const unusedClientSeconds = 24 * 3_600;

/** How long a registration outlives the grants of its client, so that people can let it in again. */
const keptAfterGrantsMs = 30 * 24 * 3_600_000;

/**
 * Called where a grant of the client is made or prolonged, in the same transaction: keeps the registration for longer
 * than the grant. Clients that were not registered (documents, our own) have no row, and nothing is done.
 * @param key of the client's row in `oauth_objects`
 * @param grantExpiresAt ms since the epoch
 */
export async function keepClient(queries: Queries, key: string, grantExpiresAt: number): Promise<void> {
  const expiresAt = grantExpiresAt + keptAfterGrantsMs;
  await queries
    .updateTable('oauth_objects')
    .set({ expires_at: expiresAt })
    .where('key', '=', key)
    .where('expires_at', '<', expiresAt)
    .execute();
}
