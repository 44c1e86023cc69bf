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

/** Follows edges breadth first, with one statement for each slice of a level instead of one for each node. */
export async function findNeighbours(
  store: Adjacency,
  scope: DataScope,
  { from, direction, kinds, depth, perNode, limit, minConfidence = defaultConfidence }: Traversal,
): Promise<Omit<SubGraph, 'freshness'>> {
  const start = await store.nodesByKey(scope, from);
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
        const found = await store.nodesById(scope, reached.slice(read, read + room));
        read += room;
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
  return {
    nodes: [...nodes.values()].map(plainNode),
    edges: (await store.describe(scope, shown)).map(({ edge }) => edge),
    truncated: truncated || shown.length < inside.length,
  };
}
