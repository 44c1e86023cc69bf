import type { GraphReader } from '../../backends/graph/port.ts';

/** Interval at which the time is counted, in milliseconds. */
const stepMs = 100;

/**
 * Resolves with `undefined` if some work does not end in time. Its signal then aborts, so that the work stops at its
 * next step. Time in which `isPaused` returns true does not count.
 */
export async function inTime<T>(
  { milliseconds, isPaused = () => false }: { milliseconds: number; isPaused?: (() => boolean) | undefined },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = new AbortController();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let leftMs = milliseconds;
  const timer = setInterval(() => {
    if (!isPaused()) leftMs -= stepMs;
    if (leftMs > 0) return;
    resolve(undefined);
    late.abort(new DOMException('The work took too long.', 'TimeoutError'));
  }, stepMs);
  try {
    return await Promise.race([work(AbortSignal.any([signal, late.signal])), promise]);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Returns the graph as a reader whose calls reject once the signal has aborted. A call that has begun ends by itself,
 * because each one is bounded; work of many calls stops before the next one.
 */
export function stoppableGraph(graph: GraphReader, signal: AbortSignal): GraphReader {
  const unlessAborted =
    <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      signal.throwIfAborted();
      return await call(...args);
    };
  return {
    get: unlessAborted((scope, keys) => graph.get(scope, keys)),
    search: unlessAborted((scope, search) => graph.search(scope, search)),
    neighbours: unlessAborted((scope, traversal) => graph.neighbours(scope, traversal)),
    uses: unlessAborted((scope, search) => graph.uses(scope, search)),
    paths: unlessAborted((scope, search) => graph.paths(scope, search)),
    asserted: unlessAborted((scope, facts) => graph.asserted(scope, facts)),
    stats: unlessAborted((scope) => graph.stats(scope)),
  };
}
