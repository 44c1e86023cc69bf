import type { Database } from '../../../foundation/db/database.ts';
import { deleteInSlices, type Sweep } from '../../../foundation/db/delete-in-slices.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';

/** How long what is over stays known, for whoever asks what became of a link or an invitation. */
const keptMs = 30 * 24 * 3_600_000;

export interface TidySignInsDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Deletes what is over of sign-ins: sessions, counts of attempts, links, invitations. */
export async function tidySignIns({ database, clock }: TidySignInsDeps, signal: AbortSignal): Promise<void> {
  await deleteInSlices(database, sweeps, clock(), signal);
}

const sweeps: readonly Sweep[] = [
  (tx, { now, limit }) => {
    const over = tx.selectFrom('sessions').select('hash').where('expires_at', '<=', now);
    return tx.deleteFrom('sessions').where('hash', 'in', over.limit(limit)).where('expires_at', '<=', now);
  },
  (tx, { now, limit }) => {
    const over = tx.selectFrom('attempts').select('key').where('resets_at', '<=', now);
    return tx.deleteFrom('attempts').where('key', 'in', over.limit(limit)).where('resets_at', '<=', now);
  },
  (tx, { now, limit }) => {
    const before = now - keptMs;
    const over = tx.selectFrom('one_time_links').select('hash').where('expires_at', '<=', before);
    return tx
      .deleteFrom('one_time_links')
      .where('hash', 'in', over.limit(limit))
      .where('expires_at', '<=', before);
  },
  (tx, { now, limit }) => {
    const before = now - keptMs;
    const over = tx.selectFrom('invitations').select('id').where('expires_at', '<=', before);
    return tx
      .deleteFrom('invitations')
      .where('id', 'in', over.limit(limit))
      .where('expires_at', '<=', before);
  },
];
