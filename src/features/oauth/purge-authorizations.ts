import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../../foundation/db/database.ts';
import { deleteInSlices, type Purge } from '../../foundation/db/delete-in-slices.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { Sealer } from '../../foundation/secrets/sealer.ts';
import { rotateSigningKeys } from './keys/rotate-signing-keys.ts';
import { purgeUnusedClients } from './registration/client-lifetime.ts';

/** Retention of ended grants, in milliseconds, so that it can still be looked up what happened to them. */
const retentionMs = 30 * 24 * 3_600_000;

export interface PurgeAuthorizationsDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** The sealer of the authorization server. */
  readonly sealer: Sealer;
  /** `Config.access`. */
  readonly accessTokenTtlMs: number;
}

/**
 * Purges expired authorization data, and creates the next signing key when necessary. Registered clients are purged
 * like all other expired objects, and earlier if there are too many without a grant; `registration/client-lifetime.ts`
 * sets their expiry and number. Idempotent.
 */
export async function purgeAuthorizations(deps: PurgeAuthorizationsDeps, signal: AbortSignal): Promise<void> {
  await deleteInSlices(deps.database, purges, deps.clock(), signal);
  await rotateSigningKeys(deps);
}

const purges: readonly Purge[] = [
  (tx, { now, limit }) => {
    const expired = tx.selectFrom('oauth_objects').select('key').where('expires_at', '<=', now);
    return tx
      .deleteFrom('oauth_objects')
      .where('key', 'in', expired.limit(limit))
      .where('expires_at', '<=', now);
  },
  purgeUnusedClients,
  (tx, { now, limit }) => {
    const before = now - retentionMs;
    const ended = tx.selectFrom('oauth_grants').select('id').where(endedBefore(before));
    return tx.deleteFrom('oauth_grants').where('id', 'in', ended.limit(limit)).where(endedBefore(before));
  },
];

function endedBefore(before: number) {
  return (grant: ExpressionBuilder<Tables, 'oauth_grants'>) =>
    grant.or([grant('expires_at', '<=', before), grant('revoked_at', '<=', before)]);
}
