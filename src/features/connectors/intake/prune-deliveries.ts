import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { deliveryRetentionMs, rejectedKept } from './delivery.ts';
import { deleteDeliveries, deleteDeliveriesBefore, rejectedBeyond } from './delivery-store.ts';

/** Rows deleted in one transaction: intake waits for no longer than that. */
const sliceSize = 500;

/** Ids found in one walk. */
const walkSize = 20_000;

export interface PruneDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Deletes deliveries whose time is over and rejected ones beyond their number, slice by slice until none is left or
 * `signal` stops it. Returns how many.
 */
export async function pruneDeliveries(deps: PruneDeps, signal: AbortSignal): Promise<number> {
  return (await pruneOld(deps, signal)) + (await pruneRejected(deps, signal));
}

async function pruneOld({ database, clock }: PruneDeps, signal: AbortSignal): Promise<number> {
  const before = clock() - deliveryRetentionMs;
  for (let deleted = 0; ; ) {
    signal.throwIfAborted();
    const slice = await database.transaction((tx) => deleteDeliveriesBefore(tx, before, sliceSize));
    deleted += slice;
    if (slice < sliceSize) return deleted;
  }
}

/** Looked for outside of the transaction, which intake would wait for: it is a walk through many rows. */
async function pruneRejected({ database }: PruneDeps, signal: AbortSignal): Promise<number> {
  for (let deleted = 0; ; ) {
    signal.throwIfAborted();
    const found = await rejectedBeyond(database.queries, rejectedKept, walkSize);
    for (let first = 0; first < found.length; first += sliceSize) {
      signal.throwIfAborted();
      const slice = found.slice(first, first + sliceSize);
      await database.transaction((tx) => deleteDeliveries(tx, slice));
    }
    deleted += found.length;
    if (found.length < walkSize) return deleted;
  }
}
