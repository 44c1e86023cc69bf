import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Queries } from '../db/database.ts';

interface Waiting {
  run(tx: Queries): Promise<void>;
  alone(): Promise<void>;
  done(): void;
}

/**
 * The database, with transactions that begin close together made one: a commit of SQLite waits for the disk, and
 * what it writes costs little beside that. Where one of them fails, each is done by itself.
 */
export function groupTransactions(database: Database): Database {
  let waiting: Waiting[] = [];
  const commit = async (): Promise<void> => {
    // What a turn of the event loop has ended is gathered in the next one: with both, the claim that follows joins.
    await nextTurn();
    await nextTurn();
    const group = waiting;
    waiting = [];
    if (group.length > 1 && (await together(group))) return;
    for (const { alone } of group) await alone();
  };
  const together = (group: readonly Waiting[]): Promise<boolean> =>
    database
      .transaction(async (tx) => {
        for (const { run } of group) await run(tx);
      })
      .then(
        () => {
          for (const { done } of group) done();
          return true;
        },
        () => false,
      );
  return {
    ...database,
    transaction: <T>(work: (tx: Queries) => Promise<T>): Promise<T> => {
      const told = Promise.withResolvers<T>();
      let result: T;
      waiting.push({
        run: async (tx) => {
          result = await work(tx);
        },
        alone: () => database.transaction(work).then(told.resolve, told.reject),
        done: () => told.resolve(result),
      });
      if (waiting.length === 1) void commit();
      return told.promise;
    },
  };
}
