import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { deliveryRetentionMs, maxRejectedDeliveries } from './delivery.ts';
import { deleteDeliveries, deleteDeliveriesBefore, findExcessRejected } from './delivery-store.ts';

/** Number of rows deleted per transaction. Intake waits for at most one such transaction. */
const batchSize = 500;

/** Maximum number of ids returned by one scan. */
const scanSize = 20_000;

export interface PruneDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Deletes expired deliveries and excess rejected ones, in batches, until none is left or `signal` aborts. Returns the
 * number of deleted deliveries.
 */
export async function pruneDeliveries(deps: PruneDeps, signal: AbortSignal): Promise<number> {
  return (await pruneOld(deps, signal)) + (await pruneRejected(deps, signal));
}

async function pruneOld({ database, clock }: PruneDeps, signal: AbortSignal): Promise<number> {
  const before = clock() - deliveryRetentionMs;
  for (let deleted = 0; ; ) {
    signal.throwIfAborted();
    const slice = await database.transaction((tx) => deleteDeliveriesBefore(tx, before, batchSize));
    deleted += slice;
    if (slice < batchSize) return deleted;
  }
}

/**
 * Deletes excess rejected deliveries. Scans many rows, and therefore outside of the transaction that intake waits
 * for.
 */
async function pruneRejected({ database }: PruneDeps, signal: AbortSignal): Promise<number> {
  for (let deleted = 0; ; ) {
    signal.throwIfAborted();
    const found = await findExcessRejected(database.queries, maxRejectedDeliveries, scanSize);
    for (let first = 0; first < found.length; first += batchSize) {
      signal.throwIfAborted();
      const slice = found.slice(first, first + batchSize);
      await database.transaction((tx) => deleteDeliveries(tx, slice));
    }
    deleted += found.length;
    if (found.length < scanSize) return deleted;
  }
}
