import type { GraphReader } from '../../backends/graph/port.ts';

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
