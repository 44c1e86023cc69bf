import { addTo } from '../../foundation/kernel/add-to.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import {
  type Adjacency,
  defaultConfidence,
  type Link,
  linkId,
  type NumberedNode,
  plainNode,
} from './adjacency.ts';
import type { GraphPath, PathSearch } from './port.ts';

/** Maximum number of links of one node in each direction that a search follows. */
const perNode = 100;
/** Maximum number of nodes that a search reaches from one end. */
const maxReached = 5_000;
/** Nodes whose links one statement reads. */
const sliceSize = 64;

/** The nodes that were reached from one end of the path. */
interface Side {
  /** Each node with the links towards the end that lie on a shortest path to it. */
  readonly towardsEnd: Map<number, Link[]>;
  frontier: readonly number[];
}

interface Found {
  readonly paths: readonly GraphPath[];
  readonly truncated: boolean;
}

/** Searches from both ends, one level at a time from the side with fewer nodes, until the two sides meet. */
export async function findPaths(
  store: Adjacency,
  scope: DataScope,
  { from, to, maxDepth, limit, minConfidence = defaultConfidence }: PathSearch,
): Promise<Found> {
  const ends = await store.nodesByKey(scope, [from, to]);
  const [start, end] = [from, to].map((key) => ends.find((node) => node.key === key));
  if (start === undefined || end === undefined || start === end) return { paths: [], truncated: false };
  const left: Side = { towardsEnd: new Map([[start.id, []]]), frontier: [start.id] };
  const right: Side = { towardsEnd: new Map([[end.id, []]]), frontier: [end.id] };
  let truncated = false;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const [side, other] = left.frontier.length <= right.frontier.length ? [left, right] : [right, left];
    truncated = (await expand(store, scope, side, minConfidence)) || truncated;
    if (side.frontier.length === 0) break;
    const meeting = side.frontier.filter((id) => other.towardsEnd.has(id));
    if (meeting.length > 0) {
      const chains = joinChains(left, right, meeting, limit + 1);
      const paths = await describePaths(store, scope, start.id, chains.slice(0, limit));
      return { paths, truncated: truncated || chains.length > limit };
    }
    if (side.towardsEnd.size > maxReached) return { paths: [], truncated: true };
  }
  return { paths: [], truncated };
}

/** Reaches one level more. Returns whether a node had more links than were followed. */
async function expand(
  store: Adjacency,
  scope: DataScope,
  side: Side,
  minConfidence: number,
): Promise<boolean> {
  const reached = new Map<number, Link[]>();
  let truncated = false;
  for (let first = 0; first < side.frontier.length; first += sliceSize) {
    if (reached.size > maxReached) {
      truncated = true;
      break;
    }
    const slice = side.frontier.slice(first, first + sliceSize);
    for (const direction of ['out', 'in'] as const) {
      const query = { direction, kinds: undefined, minConfidence, perNode: perNode + 1 };
      const counts = new Map<number, number>();
      for (const link of await store.links(scope, slice, query)) {
        const [at, other] = direction === 'out' ? [link.src, link.dst] : [link.dst, link.src];
        const count = (counts.get(at) ?? 0) + 1;
        counts.set(at, count);
        if (count > perNode) truncated = true;
        else if (!side.towardsEnd.has(other)) addTo(reached, other, link);
      }
    }
  }
  const existing = await store.nodesById(scope, [...reached.keys()]);
  for (const { id } of existing) side.towardsEnd.set(id, reached.get(id) ?? []);
  side.frontier = existing.map(({ id }) => id);
  return truncated;
}

/** Returns up to `limit` chains of links from the start to the end. */
function joinChains(left: Side, right: Side, meeting: readonly number[], limit: number): (readonly Link[])[] {
  const joined: (readonly Link[])[] = [];
  for (const id of meeting) {
    const tails = chainsFrom(right, id, limit);
    for (const head of chainsFrom(left, id, limit)) {
      for (const tail of tails) {
        if (joined.length === limit) return joined;
        joined.push([...head.toReversed(), ...tail]);
      }
    }
  }
  return joined;
}

/** Returns up to `limit` chains from a node to the end of a side. */
function chainsFrom({ towardsEnd }: Side, id: number, limit: number): (readonly Link[])[] {
  const links = towardsEnd.get(id) ?? [];
  if (links.length === 0) return [[]];
  const chains: (readonly Link[])[] = [];
  for (const link of links) {
    const before = link.src === id ? link.dst : link.src;
    for (const chain of chainsFrom({ towardsEnd, frontier: [] }, before, limit - chains.length))
      chains.push([link, ...chain]);
    if (chains.length >= limit) break;
  }
  return chains;
}

async function describePaths(
  store: Adjacency,
  scope: DataScope,
  start: number,
  chains: readonly (readonly Link[])[],
): Promise<readonly GraphPath[]> {
  const links = [...new Map(chains.flat().map((link) => [linkId(link), link])).values()];
  const described = await store.describe(scope, links);
  const edgeOf = new Map(described.map(({ link, edge }) => [linkId(link), edge]));
  const ids = new Set(links.flatMap(({ src, dst }) => [src, dst]));
  const nodes = new Map((await store.nodesById(scope, [...ids])).map((node) => [node.id, node]));
  return chains.flatMap((chain) => {
    let at = start;
    const visited: (NumberedNode | undefined)[] = [nodes.get(at)];
    for (const link of chain) {
      at = link.src === at ? link.dst : link.src;
      visited.push(nodes.get(at));
    }
    const path = {
      nodes: visited.filter((node) => node !== undefined).map(plainNode),
      edges: chain.map((link) => edgeOf.get(linkId(link))).filter((edge) => edge !== undefined),
    };
    // A unit may have been replaced since the search.
    return path.edges.length === chain.length && path.nodes.length === chain.length + 1 ? [path] : [];
  });
}
