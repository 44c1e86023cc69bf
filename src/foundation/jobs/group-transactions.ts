import type { Database, Queries } from '../db/database.ts';
import { gather } from '../kernel/gather.ts';

type Work = (tx: Queries) => Promise<unknown>;

/**
 * The database, with transactions that begin close together made one: a commit of SQLite waits for the disk, and
 * what it writes costs little beside that. Where one of them fails, each is done by itself.
 */
export function groupTransactions(database: Database): Database {
  const together = (works: readonly Work[]): Promise<readonly unknown[]> =>
    database.transaction(async (tx) => {
      const results: unknown[] = [];
      for (const work of works) results.push(await work(tx));
      return results;
    });
  // What a turn of the event loop has ended is gathered in the next one: with both, the claim that follows joins.
  const transaction = gather(together, { largest: 1_000, turns: 2, alone: () => true });
  return {
    ...database,
    transaction: <T>(work: (tx: Queries) => Promise<T>) => transaction(work) as Promise<T>,
  };
}
