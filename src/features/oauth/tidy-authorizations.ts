import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../../foundation/db/database.ts';
import { deleteInSlices, type Sweep } from '../../foundation/db/delete-in-slices.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { Sealer } from '../../foundation/secrets/sealer.ts';
import { rotateSigningKeys } from './keys/rotate-signing-keys.ts';

/** How long a grant that is over stays known, for whoever asks what became of it. */
const keptMs = 30 * 24 * 3_600_000;

export interface TidyAuthorizationsDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Of the authorization server. */
  readonly sealer: Sealer;
  /** `Config.access`. */
  readonly accessTokenTtlMs: number;
}

/**
 * Deletes what is over of authorizations, and makes the next signing key when it is time. A registered client goes with
 * everything else whose time is over: `registration/client-lifetime.ts` says when. Doing it again changes nothing.
 */
export async function tidyAuthorizations(deps: TidyAuthorizationsDeps, signal: AbortSignal): Promise<void> {
  await deleteInSlices(deps.database, sweeps, deps.clock(), signal);
  await rotateSigningKeys(deps);
}

const sweeps: readonly Sweep[] = [
  (tx, { now, limit }) => {
    const over = tx.selectFrom('oauth_objects').select('key').where('expires_at', '<=', now);
    return tx
      .deleteFrom('oauth_objects')
      .where('key', 'in', over.limit(limit))
      .where('expires_at', '<=', now);
  },
  (tx, { now, limit }) => {
    const before = now - keptMs;
    const over = tx.selectFrom('oauth_grants').select('id').where(isLongOver(before));
    return tx.deleteFrom('oauth_grants').where('id', 'in', over.limit(limit)).where(isLongOver(before));
  },
];

function isLongOver(before: number) {
  return (grant: ExpressionBuilder<Tables, 'oauth_grants'>) =>
    grant.or([grant('expires_at', '<=', before), grant('revoked_at', '<=', before)]);
}
