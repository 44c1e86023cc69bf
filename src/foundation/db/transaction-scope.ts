import { AsyncLocalStorage } from 'node:async_hooks';
import type { KyselyPlugin } from 'kysely';

/**
 * Refuses a query beside the transaction it stands in. On SQLite such a query would wait for ever for the connection
 * that its own transaction holds; on Postgres it would silently miss the transaction. Both dialects say so at once.
 */
export interface TransactionScope {
  /** To be given to the Kysely instance whose queries stand outside. */
  readonly plugin: KyselyPlugin;
  /** Throws when the caller stands inside an open transaction. */
  assertOutside(): void;
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function openTransactionScope(): TransactionScope {
  const current = new AsyncLocalStorage<{ open: boolean }>();
  const assertOutside = (): void => {
    if (current.getStore()?.open === true) {
      throw new Error(
        'A query was made beside the transaction it stands in: use the `tx` given to the work.',
      );
    }
  };
  return {
    assertOutside,
    plugin: {
      transformQuery: ({ node }) => {
        assertOutside();
        return node;
      },
      transformResult: async ({ result }) => result,
    },
    run: async (work) => {
      const transaction = { open: true };
      try {
        return await current.run(transaction, work);
      } finally {
        transaction.open = false;
      }
    },
  };
}
