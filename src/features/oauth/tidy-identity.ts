import type { ExpressionBuilder } from 'kysely';
import type { Database, Queries } from '../../foundation/db/database.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { Sealer } from '../../foundation/secrets/sealer.ts';
import { rotateSigningKeys } from './keys/rotate-signing-keys.ts';

/** Rows deleted in one transaction: sign-ins wait for no longer than that. */
const sliceSize = 500;

/** How long what is over stays known, for whoever asks what became of a link, an invitation, a grant. */
const keptMs = 30 * 24 * 3_600_000;

export interface TidyDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Of the purpose `orgctx/oauth/v1`. */
  readonly sealer: Sealer;
  /** `Config.access`. */
  readonly accessTokenTtlMs: number;
}

/** What is done every hour. Several workers may do it at once, and doing it again changes nothing. */
export async function tidyIdentity(deps: TidyDeps, signal: AbortSignal): Promise<void> {
  await deleteWhatIsOver(deps, signal);
  await rotateSigningKeys(deps);
}

/**
 * Deletes what is over of sign-ins and authorizations, slice by slice until none is left or `signal` stops it. A
 * registered client goes with everything else whose time is over: `registration/client-lifetime.ts` says when.
 */
async function deleteWhatIsOver(
  { database, clock }: Pick<TidyDeps, 'database' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock();
  for (const sweep of sweeps) {
    // Until nothing went: a slice may hold rows that were prolonged meanwhile, or that another worker deleted.
    for (let deleted = 1; deleted > 0; ) {
      signal.throwIfAborted();
      deleted = await database.transaction(async (tx) => {
        const { numDeletedRows } = await sweep(tx, now).executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      });
    }
  }
}

type Sweep = (
  tx: Queries,
  now: number,
) => { executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }> };

/**
 * Each says twice what is over: Postgres looks again at a row that it waited for, but not at what chose it, so that what
 * another transaction has just prolonged would go all the same.
 */
const sweeps: readonly Sweep[] = [
  (tx, now) => {
    const over = tx.selectFrom('oauth_objects').select('key').where('expires_at', '<=', now);
    return tx
      .deleteFrom('oauth_objects')
      .where('key', 'in', over.limit(sliceSize))
      .where('expires_at', '<=', now);
  },
  (tx, now) => {
    const over = tx.selectFrom('sessions').select('hash').where('expires_at', '<=', now);
    return tx
      .deleteFrom('sessions')
      .where('hash', 'in', over.limit(sliceSize))
      .where('expires_at', '<=', now);
  },
  (tx, now) => {
    const over = tx.selectFrom('attempts').select('key').where('resets_at', '<=', now);
    return tx.deleteFrom('attempts').where('key', 'in', over.limit(sliceSize)).where('resets_at', '<=', now);
  },
  (tx, now) => {
    const before = now - keptMs;
    const over = tx.selectFrom('one_time_links').select('hash').where('expires_at', '<=', before);
    return tx
      .deleteFrom('one_time_links')
      .where('hash', 'in', over.limit(sliceSize))
      .where('expires_at', '<=', before);
  },
  (tx, now) => {
    const before = now - keptMs;
    const over = tx.selectFrom('invitations').select('id').where('expires_at', '<=', before);
    return tx
      .deleteFrom('invitations')
      .where('id', 'in', over.limit(sliceSize))
      .where('expires_at', '<=', before);
  },
  (tx, now) => {
    const before = now - keptMs;
    const over = tx.selectFrom('oauth_grants').select('id').where(isLongOver(before));
    return tx.deleteFrom('oauth_grants').where('id', 'in', over.limit(sliceSize)).where(isLongOver(before));
  },
];

const isLongOver = (before: number) => (grant: ExpressionBuilder<Tables, 'oauth_grants'>) =>
  grant.or([grant('expires_at', '<=', before), grant('revoked_at', '<=', before)]);
