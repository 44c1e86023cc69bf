import { AsyncLocalStorage } from 'node:async_hooks';

/** The current transaction. `open` becomes false at its end: calls that its work left running are outside again. */
const current = new AsyncLocalStorage<{ open: boolean }>();

/** Runs `work` and marks everything it awaits as inside a database transaction. */
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
 * Throws inside a transaction. Waiting for an external system would hold the transaction open, and with it the locked
 * rows or, on SQLite, the only connection of the process. `what` is the subject of the error message: `An HTTP
 * request`.
 */
export function assertOutsideTransaction(what: string): void {
  if (isInsideTransaction()) {
    throw new Error(
      `${what} was started inside a database transaction. Only queries of its \`tx\` may be awaited there: ` +
        'end the transaction first.',
    );
  }
}
