import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { deliveryRetentionMs, maxRejectedDeliveries } from './delivery.ts';
import { deleteDeliveries, findExcessRejected } from './delivery-store.ts';

/** Number of rows deleted per transaction. Intake waits for at most one such transaction. */
const batchSize = 500;

export interface PruneDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Deletes expired deliveries and excess rejected ones, in batches, until none is left or `signal` aborts. Returns the
 * number of deleted deliveries.
 */
export async function pruneDeliveries(deps: PruneDeps, signal: AbortSignal): Promise<number> {
  const { queries } = deps.database;
  const old = await deleteAll(deps, { before: deps.clock() - deliveryRetentionMs }, signal);
  // Skips many rows, and therefore runs outside of the transactions that intake waits for.
  const rejectedUpTo = await findExcessRejected(queries, maxRejectedDeliveries);
  return rejectedUpTo === undefined ? old : old + (await deleteAll(deps, { rejectedUpTo }, signal));
}

async function deleteAll(
  { database }: PruneDeps,
  which: Parameters<typeof deleteDeliveries>[1],
  signal: AbortSignal,
): Promise<number> {
  for (let deleted = 0; ; ) {
    signal.throwIfAborted();
    const slice = await database.transaction((tx) => deleteDeliveries(tx, which, batchSize));
    deleted += slice;
    if (slice < batchSize) return deleted;
  }
}
