import { openPauses, type Pause } from '../../foundation/kernel/limits/pauses.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import {
  type Adjacency,
  defaultConfidence,
  type Link,
  linkId,
  type NumberedNode,
  plainNode,
} from './adjacency.ts';
import { graphLimits, type SubGraph, type Traversal } from './port.ts';

/** Nodes whose links one statement reads. The traversal stops between two slices once it holds enough nodes. */
const sliceSize = 64;
/** Nodes and links that one statement reads: SQLite reads on the event loop, a hundred rows in 3 to 10 ms. */
export const rowsAtOnce = 200;

/**
 * Follows edges breadth first, with one statement for each slice of a level instead of one for each node. Other
 * requests go on between two statements.
 */
export async function findNeighbours(
  store: Adjacency,
  scope: DataScope,
  { from, direction, kinds, depth, perNode, limit, minConfidence = defaultConfidence }: Traversal,
): Promise<Omit<SubGraph, 'freshness'>> {
  const pause = openPauses();
  const start = await inSlices([...new Set(from)], pause, (keys) => store.nodesByKey(scope, keys));
  const nodes = new Map<number, NumberedNode>(start.slice(0, limit).map((node) => [node.id, node]));
  const links = new Map<string, Link>();
  const directions = direction === 'both' ? (['out', 'in'] as const) : ([direction] as const);
  let truncated = start.length > limit;

  /** Reads the links of some nodes; returns the ends that were not reached before. */
  const follow = async (slice: readonly number[]): Promise<readonly number[]> => {
    const reached = new Set<number>();
    for (const one of directions) {
      const query = { direction: one, kinds, minConfidence, perNode: perNode + 1 };
      const counts = new Map<number, number>();
      for (const link of await store.links(scope, slice, query)) {
        const [at, other] = one === 'out' ? [link.src, link.dst] : [link.dst, link.src];
        const count = (counts.get(at) ?? 0) + 1;
        counts.set(at, count);
        if (count > perNode) {
          truncated = true;
          continue;
        }
        links.set(linkId(link), link);
        if (!nodes.has(other)) reached.add(other);
      }
      await pause();
    }
    return [...reached];
  };

  let frontier: readonly number[] = [...nodes.keys()];
  for (
    let level = 1;
    level <= depth && frontier.length > 0 && !(truncated && nodes.size >= limit);
    level += 1
  ) {
    const next: number[] = [];
    for (let first = 0; first < frontier.length; first += sliceSize) {
      const reached = await follow(frontier.slice(first, first + sliceSize));
      // A reached node may be one that nobody asserts, so more are read than may be missing.
      for (let read = 0; read < reached.length; ) {
        const room = limit - nodes.size;
        if (room === 0) {
          truncated = true;
          break;
        }
        const size = Math.min(room, rowsAtOnce);
        const found = await store.nodesById(scope, reached.slice(read, read + size));
        read += size;
        await pause();
        for (const node of found) {
          nodes.set(node.id, node);
          next.push(node.id);
        }
      }
      if (truncated && nodes.size >= limit) break;
    }
    frontier = next;
  }

  const inside = [...links.values()].filter(({ src, dst }) => nodes.has(src) && nodes.has(dst));
  const shown = inside.slice(0, limit * graphLimits.edgesPerNode);
  const described = await inSlices(shown, pause, (slice) => store.describe(scope, slice));
  return {
    nodes: [...nodes.values()].map(plainNode),
    edges: described.map(({ edge }) => edge),
    truncated: truncated || shown.length < inside.length,
  };
}

/** Reads the rows of items with one statement for each slice of them. Other requests go on between two statements. */
export async function inSlices<Item, Row>(
  items: readonly Item[],
  pause: Pause,
  read: (slice: readonly Item[]) => Promise<readonly Row[]>,
  size = rowsAtOnce,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let first = 0; first < items.length; first += size) {
    for (const row of await read(items.slice(first, first + size))) rows.push(row);
    await pause();
  }
  return rows;
}
