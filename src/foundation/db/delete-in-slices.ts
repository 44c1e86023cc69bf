import type { Database, Queries } from './database.ts';

/** Deletes up to `limit` rows that are over at `now`. */
export type Sweep = (
  tx: Queries,
  slice: { readonly now: number; readonly limit: number },
) => { executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }> };

/** Rows deleted in one transaction: other writers wait for no longer than that. */
const limit = 500;

/**
 * Runs each sweep until it finds nothing, a transaction a slice. Several processes may do it at once. A sweep has to say
 * twice what is over: Postgres looks again at a row that it waited for, but not at what chose it, so that what another
 * transaction has just prolonged would go all the same.
 * @throws what `signal` was aborted with, between two slices
 */
export async function deleteInSlices(
  database: Pick<Database, 'transaction'>,
  sweeps: readonly Sweep[],
  now: number,
  signal: AbortSignal,
): Promise<void> {
  for (const sweep of sweeps) {
    // Until nothing went: a slice may hold rows that were prolonged meanwhile, or that another process deleted.
    for (let deleted = 1; deleted > 0; ) {
      signal.throwIfAborted();
      deleted = await database.transaction(async (tx) => {
        const { numDeletedRows } = await sweep(tx, { now, limit }).executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      });
    }
  }
}
