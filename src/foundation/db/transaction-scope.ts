import type { KyselyPlugin } from 'kysely';
import { isInsideTransaction } from '../kernel/inside-transaction.ts';

/**
 * Refuses a query beside the transaction it stands in, of whichever database. On SQLite such a query would wait for
 * ever for the connection that its own transaction holds; on Postgres it would silently miss the transaction; of the
 * other store it would stay when the transaction is rolled back. All of them are said at once.
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
      'A query was made beside the transaction it stands in: use the `tx` given to the work. No transaction spans ' +
        'two databases.',
    );
  }
}
