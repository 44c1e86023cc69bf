import type { Database, Queries } from '../../db/database.ts';
import { isDatabaseBusy } from '../../db/retry-transaction.ts';
import { batch } from '../../kernel/limits/batch.ts';

type Work = (tx: Queries) => Promise<unknown>;

/**
 * Returns the database with concurrent transactions grouped into one. A commit of SQLite waits for the disk, and the
 * writes cost little in comparison. If one transaction of a group fails, each is run again separately. If the database
 * is busy, those that wait fail as well: each would wait as long.
 */
export function groupTransactions(database: Database): Database {
  const together = (works: readonly Work[]): Promise<readonly unknown[]> =>
    database.transaction(async (tx) => {
      const results: unknown[] = [];
      for (const work of works) results.push(await work(tx));
      return results;
    });
  // Runs that end in one event loop tick call this in the next one. Waiting two ticks lets the following claim join
  // the group.
  const transaction = batch(together, {
    maxSize: 1_000,
    minTicks: 2,
    onError: (error) => (isDatabaseBusy(error) ? 'all' : 'each'),
  });
  return {
    ...database,
    transaction: <T>(work: (tx: Queries) => Promise<T>) => transaction(work) as Promise<T>,
  };
}
