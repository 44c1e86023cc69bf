import type { GraphEdge, GraphNode, GraphReader, SubGraph, Traversal } from '../../../backends/graph/port.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { certaintyOf } from '../certainty.ts';

/** A node with the edge that led to it, which says why. */
export interface RelatedNode {
  readonly node: GraphNode;
  readonly edge: GraphEdge;
}

/** Maximum number of edges of one node, and of nodes that a step reaches. */
const max = { perNode: 100, reached: 1000 } as const;

/** Follows edges one step. */
export function step(
  graph: GraphReader,
  scope: OrgScope,
  { from, direction, kinds, minConfidence }: Omit<Traversal, 'depth' | 'perNode' | 'limit'>,
): Promise<SubGraph> {
  const limit = from.length + max.reached;
  const limits = { depth: 1, perNode: max.perNode, limit } as const;
  return graph.neighbours(scope, { from, direction, kinds, minConfidence, ...limits });
}

/** A step that was followed along certain edges, and how many of the possible ones are wanted. */
interface CertainStep extends Pick<Traversal, 'from' | 'direction' | 'kinds'> {
  readonly certain: Pick<SubGraph, 'edges'>;
  readonly limit: number;
}

/** Returns the possible edges of some nodes, which no traversal follows, with the nodes at their ends. */
export async function possibleEdges(
  graph: GraphReader,
  scope: OrgScope,
  { from, direction, kinds, certain, limit }: CertainStep,
): Promise<SubGraph> {
  // A store limits edges before it tells which are certain.
  const perNode = Math.min(certain.edges.length + limit, max.reached);
  const all = await graph.neighbours(scope, {
    from,
    direction,
    kinds,
    minConfidence: 1,
    depth: 1,
    perNode,
    limit: from.length + max.reached,
  });
  const possible = all.edges.filter((edge) => certaintyOf(edge) === 'possible');
  const edges = possible.slice(0, limit);
  const ends = new Set([...from, ...edges.flatMap((edge) => [edge.from, edge.to])]);
  const nodes = all.nodes.filter(({ key }) => ends.has(key));
  return { ...all, nodes, edges, truncated: all.truncated || edges.length < possible.length };
}

/** Returns the nodes of some kinds that a step led to, each with its best edge, the most certain first. */
export function reached(
  { nodes, edges }: SubGraph,
  from: readonly string[],
  kinds: readonly GraphNode['kind'][],
): readonly RelatedNode[] {
  const start = new Set(from);
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const best = new Map<string, RelatedNode>();
  for (const edge of edges) {
    const other = start.has(edge.from) ? edge.to : edge.from;
    const node = byKey.get(other);
    if (node === undefined || start.has(other) || !kinds.includes(node.kind)) continue;
    const known = best.get(other);
    if (known === undefined || known.edge.confidence < edge.confidence) best.set(other, { node, edge });
  }
  return [...best.values()].toSorted(
    (a, b) => b.edge.confidence - a.edge.confidence || (a.node.key < b.node.key ? -1 : 1),
  );
}

/** Merges lists; a node that several contain keeps its first reason. */
export function merged(...lists: readonly (readonly RelatedNode[])[]): readonly RelatedNode[] {
  const found = new Map<string, RelatedNode>();
  for (const related of lists.flat()) if (!found.has(related.node.key)) found.set(related.node.key, related);
  return [...found.values()];
}

/** Returns the keys of the nodes. */
export function keysOf(related: readonly RelatedNode[]): readonly string[] {
  return related.map(({ node }) => node.key);
}

/** Returns whether work on a record is not finished. */
export function isOpen({ node }: RelatedNode): boolean {
  return node.props['open'] !== false;
}

/** Returns the node with a key. @throws NotFound, also for a node of another organization */
export async function requireNode(graph: GraphReader, scope: OrgScope, key: string): Promise<GraphNode> {
  const { nodes } = await graph.get(scope, [key]);
  const [node] = nodes;
  if (node === undefined) throw new NotFound('The knowledge graph has no entity with this key.');
  return node;
}
