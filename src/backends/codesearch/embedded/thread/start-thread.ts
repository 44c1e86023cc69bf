import { Worker } from 'node:worker_threads';
import type { TableOffers } from '../read/shared-tables.ts';
import type { TableExchange } from './table-exchange.ts';
import type { FromThread, TaskAnswer, ThreadData } from './task.ts';

/**
 * Starts a search thread and connects it with the other threads of the process. `entry` is its entry point. Its
 * answers are passed to `onAnswer`.
 */
export function startThread(
  { entry = threadEntry(), ...workerData }: ThreadData & { readonly entry?: URL | undefined },
  tables: TableExchange<Worker>,
  onAnswer: (answer: TaskAnswer) => void,
): Worker {
  const worker = new Worker(entry, { workerData, name: 'search' });
  // The transfer list is empty, because tables are shared.
  tables.joined(worker, (offers: TableOffers) => worker.postMessage(offers, []));
  worker.on('message', (message: FromThread) => {
    if ('open' in message) tables.received(worker, message);
    else onAnswer(message);
  });
  worker.once('exit', () => tables.left(worker));
  return worker;
}

/**
 * Returns the URL of the entry point: a `.ts` file next to this folder when run from source, a separate entry next to
 * the chunk in the bundle.
 */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('../search-thread.ts', import.meta.url)
    : new URL('./search-thread.js', import.meta.url);
}
