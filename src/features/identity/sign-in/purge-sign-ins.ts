import type { Database } from '../../../foundation/db/database.ts';
import { deleteInSlices, type Purge } from '../../../foundation/db/delete-in-slices.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';

/**
 * Retention of ended links and invitations, in milliseconds, so that it can still be looked up what happened to them.
 */
const retentionMs = 30 * 24 * 3_600_000;

export interface PurgeSignInsDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Purges expired sessions, counts of attempts, links and invitations. */
export async function purgeSignIns(
  { database, clock }: PurgeSignInsDeps,
  signal: AbortSignal,
): Promise<void> {
  await deleteInSlices(database, purges, clock(), signal);
}

const purges: readonly Purge[] = [
  (tx, { now, limit }) => {
    const expired = tx.selectFrom('sessions').select('hash').where('expires_at', '<=', now);
    return tx.deleteFrom('sessions').where('hash', 'in', expired.limit(limit)).where('expires_at', '<=', now);
  },
  (tx, { now, limit }) => {
    const expired = tx.selectFrom('attempts').select('key').where('resets_at', '<=', now);
    return tx.deleteFrom('attempts').where('key', 'in', expired.limit(limit)).where('resets_at', '<=', now);
  },
  (tx, { now, limit }) => {
    const before = now - retentionMs;
    const expired = tx.selectFrom('one_time_links').select('hash').where('expires_at', '<=', before);
    return tx
      .deleteFrom('one_time_links')
      .where('hash', 'in', expired.limit(limit))
      .where('expires_at', '<=', before);
  },
  (tx, { now, limit }) => {
    const before = now - retentionMs;
    const expired = tx.selectFrom('invitations').select('id').where('expires_at', '<=', before);
    return tx
      .deleteFrom('invitations')
      .where('id', 'in', expired.limit(limit))
      .where('expires_at', '<=', before);
  },
];
