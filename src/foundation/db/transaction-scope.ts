import type { KyselyPlugin } from 'kysely';
import { isInsideTransaction } from '../kernel/inside-transaction.ts';

/**
 * Refuses a query outside the current transaction, on any database. On SQLite such a query would wait for ever for
 * the connection of its own transaction; on Postgres it would not be part of the transaction; on the other store it
 * would persist when the transaction is rolled back.
 */
export const outsideTransactions: KyselyPlugin = {
  transformQuery: ({ node }) => {
    assertNoTransaction();
    return node;
  },
  transformResult: async ({ result }) => result,
};

export function assertNoTransaction(): void {
  if (isInsideTransaction()) {
    throw new Error(
      'A query was run outside the current transaction: use the `tx` argument. No transaction spans ' +
        'two databases.',
    );
  }
}
