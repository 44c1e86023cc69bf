import type { Database, Queries } from './database.ts';

/** Deletes up to `limit` rows that have expired at `now`. */
export type Purge = (
  tx: Queries,
  slice: { readonly now: number; readonly limit: number },
) => { executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }> };

/** Maximum number of rows per transaction, which limits the time that other writers wait. */
const limit = 500;

/**
 * Runs each purge until it deletes nothing, one transaction per slice. Several processes may do this concurrently. A
 * purge must repeat the expiry condition in the outer statement: Postgres evaluates that again for a row that it
 * waited for, but not the subquery that selected it, and would otherwise delete a row that another transaction has
 * just renewed.
 * @throws the reason of `signal`, between two slices
 */
export async function deleteInSlices(
  database: Pick<Database, 'transaction'>,
  purges: readonly Purge[],
  now: number,
  signal: AbortSignal,
): Promise<void> {
  for (const purge of purges) {
    // Repeat until nothing was deleted: rows of a slice may have been renewed or deleted meanwhile.
    for (let deleted = 1; deleted > 0; ) {
      signal.throwIfAborted();
      deleted = await database.transaction(async (tx) => {
        const { numDeletedRows } = await purge(tx, { now, limit }).executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      });
    }
  }
}
