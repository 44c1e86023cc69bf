import { Worker } from 'node:worker_threads';
import type { TableOffers } from '../read/shared-tables.ts';
import type { TableExchange } from './table-exchange.ts';
import type { FromThread, TaskAnswer, ThreadData } from './task.ts';

/** A search thread, connected with the others of its process; `entry` is what it runs. It says here what it answers. */
export function startThread(
  { entry = threadEntry(), ...workerData }: ThreadData & { readonly entry?: URL | undefined },
  tables: TableExchange<Worker>,
  answered: (answer: TaskAnswer) => void,
): Worker {
  const worker = new Worker(entry, { workerData, name: 'search' });
  // Nothing is transferred: tables are shared.
  tables.joined(worker, (offers: TableOffers) => worker.postMessage(offers, []));
  worker.on('message', (said: FromThread) => {
    if ('open' in said) tables.heard(worker, said);
    else answered(said);
  });
  worker.once('exit', () => tables.left(worker));
  return worker;
}

/** From source the thread is a `.ts` beside its folder; in the bundle it is an entry beside the chunk. */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('../search-thread.ts', import.meta.url)
    : new URL('./search-thread.js', import.meta.url);
}
