import type { Database } from '../../foundation/db/database.ts';
import { deleteInSlices, type Purge } from '../../foundation/db/delete-in-slices.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';

export interface PurgeConversationsDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** `Config.conversationRetentionMs`. */
  readonly conversationRetentionMs: number;
}

/** Maximum number of conversations per transaction: each has up to a hundred messages of some kilobytes. */
const maxSlice = 20;

/** Deletes the conversations without a question during the retention. Does nothing if all are kept. Idempotent. */
export async function purgeConversations(deps: PurgeConversationsDeps, signal: AbortSignal): Promise<void> {
  const { database, clock, conversationRetentionMs } = deps;
  if (conversationRetentionMs === 0) return;
  const purge: Purge = (tx, { now, limit }) => {
    const before = now - conversationRetentionMs;
    const expired = tx.selectFrom('conversations').select('id').where('updated_at', '<=', before);
    return tx
      .deleteFrom('conversations')
      .where('id', 'in', expired.limit(Math.min(limit, maxSlice)))
      .where('updated_at', '<=', before);
  };
  await deleteInSlices(database, [purge], clock(), signal);
}
