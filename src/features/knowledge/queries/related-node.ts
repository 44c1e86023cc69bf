import type { GraphEdge, GraphNode, GraphReader, SubGraph, Traversal } from '../../../backends/graph/port.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

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
  { from, direction, kinds }: Pick<Traversal, 'from' | 'direction' | 'kinds'>,
): Promise<SubGraph> {
  const limit = from.length + max.reached;
  return graph.neighbours(scope, { from, direction, kinds, depth: 1, perNode: max.perNode, limit });
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
