import { AsyncLocalStorage } from 'node:async_hooks';

/** `open` ends with the transaction: what its work left running behind is outside again. */
const current = new AsyncLocalStorage<{ open: boolean }>();

/** Runs `work` so that everything it awaits knows it stands in a database transaction. */
export async function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { open: true };
  try {
    return await current.run(transaction, work);
  } finally {
    transaction.open = false;
  }
}

export function isInsideTransaction(): boolean {
  return current.getStore()?.open === true;
}

/**
 * Refuses to begin what would hold a transaction, and with it the rows or, on SQLite, the only connection of the
 * process, for as long as somebody else takes to answer. `what` begins the message: `An HTTP request`.
 */
export function assertOutsideTransaction(what: string): void {
  if (isInsideTransaction()) {
    throw new Error(
      `${what} was begun inside a database transaction. Nothing but the queries of its \`tx\` may be awaited there: ` +
        'end the transaction first.',
    );
  }
}
