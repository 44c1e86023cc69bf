import {
  aliasOf,
  type EdgeFact,
  type GraphEdge,
  type GraphNode,
  type GraphReader,
  graphLimits,
  type Mention,
  type SubGraph,
  type Traversal,
} from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import { boundedNode, type FoundEntity } from './find-commit.ts';

/** Maximum number of entities of one name that are followed. */
const maxOfName = 10;

/** Returns what a commit that the graph lacks is connected with, and from there what the graph knows. */
export async function neighboursOfCommit(
  graph: GraphReader,
  scope: OrgScope,
  { node: commit, facts }: Required<FoundEntity>,
  traversal: Omit<Traversal, 'from'>,
): Promise<SubGraph> {
  const { direction, kinds, depth, perNode, limit } = traversal;
  // Nothing of the graph names a commit that it lacks.
  const own = direction === 'in' ? [] : facts.edges.filter(({ from }) => from === commit.key);
  const named = direction === 'in' ? [] : await resolveMentions(graph, scope, facts.mentions);
  const wanted = bestOf([...own, ...named]).filter(
    ({ kind, to }) => (kinds?.includes(kind) ?? true) && Buffer.byteLength(to) <= graphLimits.keyBytes,
  );
  const { nodes: known, freshness } = await graph.get(scope, [...new Set(wanted.map(({ to }) => to))]);
  const ends = new Map([...facts.nodes.map(boundedNode), ...known].map((node) => [node.key, node]));
  const all = wanted.filter(({ to }) => ends.has(to));
  const links = all.slice(0, perNode);
  const from = links.map(({ to }) => to);
  const further =
    depth === 1 || from.length === 0
      ? undefined
      : await graph.neighbours(scope, { ...traversal, from, depth: depth === 3 ? 2 : 1 });
  const reached = from.flatMap((key) => ends.get(key) ?? []);
  const nodes = new Map<string, GraphNode>(
    [commit, ...reached, ...(further?.nodes ?? [])].map((node) => [node.key, node]),
  );
  const shown = new Map([...nodes].slice(0, limit));
  const edges = [...links.map((edge) => edgeOf(edge, commit)), ...(further?.edges ?? [])].filter(
    (edge) => shown.has(edge.from) && shown.has(edge.to),
  );
  return {
    nodes: [...shown.values()],
    edges: edges.slice(0, limit * graphLimits.edgesPerNode),
    truncated:
      links.length < all.length ||
      shown.size < nodes.size ||
      edges.length > limit * graphLimits.edgesPerNode ||
      further?.truncated === true,
    freshness,
  };
}

function edgeOf(edge: EdgeFact, { key, props }: GraphNode): GraphEdge {
  const evidence = edge.evidence.slice(0, graphLimits.reason).toWellFormed();
  return { ...edge, evidence, owner: key, revision: String(props['sha']) };
}

/** Returns the edges to the entities that have the mentioned names. */
async function resolveMentions(
  graph: GraphReader,
  scope: OrgScope,
  mentions: readonly Mention[],
): Promise<readonly EdgeFact[]> {
  const from = [...new Set(mentions.map(({ name }) => `alias:${name}`))];
  if (from.length === 0) return [];
  const limit = from.length * (maxOfName + 1);
  const step = { from, direction: 'out', kinds: [aliasOf], depth: 1, perNode: maxOfName, limit } as const;
  const { edges } = await graph.neighbours(scope, step);
  const targets = Map.groupBy(edges, (edge) => edge.from);
  return mentions.flatMap(({ name, ...mention }) => {
    const found = targets.get(`alias:${name}`) ?? [];
    const most = found.length > 1 ? graphLimits.ambiguousConfidence : 100;
    return found.map(({ to }) => ({ ...mention, to, confidence: Math.min(mention.confidence, most) }));
  });
}

/** Returns one edge for each kind and end, the most certain one, ordered by kind. */
function bestOf(edges: readonly EdgeFact[]): readonly EdgeFact[] {
  const best = new Map<string, EdgeFact>();
  for (const edge of edges) {
    const id = `${edge.kind} ${edge.to}`;
    if ((best.get(id)?.confidence ?? -1) < edge.confidence) best.set(id, edge);
  }
  return [...best.values()].toSorted((a, b) => compareText(a.kind, b.kind));
}
