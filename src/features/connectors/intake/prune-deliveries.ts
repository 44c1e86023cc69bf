import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { deliveryRetentionMs } from './delivery.ts';
import { deleteDeliveriesBefore } from './delivery-store.ts';

/** Rows deleted in one transaction: intake waits for no longer than that. */
const sliceSize = 500;

/** Deletes deliveries whose time is over, slice by slice until none is left or `signal` stops it. Returns how many. */
export async function pruneDeliveries(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  signal: AbortSignal,
): Promise<number> {
  const before = clock() - deliveryRetentionMs;
  for (let deleted = 0; ; ) {
    signal.throwIfAborted();
    const slice = await database.transaction((tx) => deleteDeliveriesBefore(tx, before, sliceSize));
    deleted += slice;
    if (slice < sliceSize) return deleted;
  }
}
