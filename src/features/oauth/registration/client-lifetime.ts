import type { Queries } from '../../../foundation/db/database.ts';
import type { Purge } from '../../../foundation/db/delete-in-slices.ts';

/** Lifetime of a registration without a grant, in seconds. */
export const unusedClientSeconds = 24 * 3_600;

/**
 * Maximum number of registrations without a grant that outlive a purge. Anybody can register clients, so they share a
 * bounded part of the disk: about 60 MB with `maxMetadataBytes` each. The oldest are deleted first, because a client
 * that somebody waits for is used within minutes.
 */
const maxUnusedClients = 5_000;

/** Deletes the oldest registrations beyond `maxUnusedClients`. Those of allowed clients expire later (`keepClient`). */
export const purgeUnusedClients: Purge = (tx, { now, limit }) => {
  const latest = now + unusedClientSeconds * 1_000;
  const excess = tx
    .selectFrom('oauth_objects')
    .select('key')
    .where('model', '=', 'Client')
    .where('expires_at', '<=', latest)
    .orderBy('expires_at', 'desc')
    .orderBy('key', 'desc')
    .limit(limit)
    .offset(maxUnusedClients);
  return tx.deleteFrom('oauth_objects').where('key', 'in', excess).where('expires_at', '<=', latest);
};

/**
 * Retention of a registration after the last grant of its client, in milliseconds, so that users can allow the client
 * again.
 */
const retentionAfterGrantsMs = 30 * 24 * 3_600_000;

/**
 * Extends a registration beyond a grant of its client. Call it in the transaction that creates or extends the grant.
 * Does nothing for clients without a row, such as the built-in one.
 * @param key of the client's row in `oauth_objects`
 * @param grantExpiresAt milliseconds since the epoch
 */
export async function keepClient(queries: Queries, key: string, grantExpiresAt: number): Promise<void> {
  const expiresAt = grantExpiresAt + retentionAfterGrantsMs;
  await queries
    .updateTable('oauth_objects')
    .set({ expires_at: expiresAt })
    .where('key', '=', key)
    .where('expires_at', '<', expiresAt)
    .execute();
}
