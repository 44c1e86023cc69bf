import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { defaultConfidence, type LinkQuery, type NumberedNode, plainNode } from '../adjacency.ts';
import { inSlices, rowsAtOnce } from '../find-neighbours.ts';
import { foldName } from '../name-terms.ts';
import { graphLimits, type NamedUses, type UsesSearch } from '../port.ts';
import type { NamedNode, NameQuery } from '../search-names.ts';
import type { GraphQueries } from './graph-tables.ts';
import { keysOfNodes } from './node-rows.ts';
import {
  endsOfLinks,
  type KeyedNode,
  linksInto,
  type ReasonedLink,
  type ReasonTexts,
  sqlAdjacency,
} from './sql-adjacency.ts';
import { byPrefix } from './sql-names.ts';

/** Maximum numbers of definitions, of edges, of nodes around these, and of the edges of one node. */
const max = { definitions: 1_000, edges: 20_000, around: 10_000, perNode: 2_000 } as const;

/**
 * Finds the definitions of a name with their uses, by the numbers of the nodes. Other requests go on between two
 * statements.
 */
export async function findUses(
  graph: GraphQueries,
  scope: DataScope,
  { name, origins, isPlaced }: UsesSearch,
): Promise<Omit<NamedUses, 'freshness'>> {
  const store = sqlAdjacency(graph, { origins });
  const pause = openPauses();
  const texts: ReasonTexts = new Map();
  let truncated = false;

  const definitionsOf = async (): Promise<readonly NamedNode[]> => {
    const query = { folded: foldName(name), whole: true, kinds: ['symbol'], origins } as const;
    const found: NamedNode[] = [];
    for (let after: NameQuery['after']; ; await pause()) {
      const page = await byPrefix(graph, scope, { ...query, after, limit: rowsAtOnce });
      found.push(...page.filter((node) => node.name === name));
      after = page.at(-1);
      if (page.length < rowsAtOnce) return found;
      if (found.length < max.definitions) continue;
      truncated = true;
      return found;
    }
  };

  /**
   * Reads the links to nodes, which are in the order of their numbers, up to a number of links. A statement that does
   * not return all links of a node is followed by one that begins with this node.
   */
  const reasonedLinks = async (
    nodes: readonly KeyedNode[],
    most: number,
    query: Pick<LinkQuery, 'kinds' | 'minConfidence'>,
  ): Promise<readonly ReasonedLink[]> => {
    const found: ReasonedLink[] = [];
    for (let first = 0; first < nodes.length && found.length <= most; await pause()) {
      const slice = nodes.slice(first, first + rowsAtOnce);
      const limit = max.perNode + 1;
      const links = await linksInto(graph, scope, slice, { ...query, origins, limit, texts });
      const last = links.length > max.perNode ? links.at(-1)?.dst : undefined;
      const isOfOne = links[0]?.dst === last;
      truncated ||= last !== undefined && isOfOne;
      for (const link of links) if (isOfOne || link.dst !== last) found.push(link);
      const read = slice.findIndex(({ id }) => id === last);
      first += read < 0 ? slice.length : read + Number(isOfOne);
    }
    truncated ||= found.length > most;
    return found.slice(0, most);
  };

  const nodesOf = async (ids: readonly number[]): Promise<readonly NumberedNode[]> => {
    const unique = [...new Set(ids)];
    truncated ||= unique.length > max.around;
    return inSlices(unique.slice(0, max.around), pause, (slice) => store.nodesById(scope, slice));
  };

  const keysOf = (ids: readonly number[]) =>
    inSlices([...new Set(ids)], pause, async (slice) => [...(await keysOfNodes(graph, slice))]);

  const definitions = await definitionsOf();
  const kinds = ['calls', 'uses', 'inherits', 'imports'];
  const used = await reasonedLinks(definitions, max.edges, { kinds, minConfidence: 1 });
  const outer = definitions.filter(({ props }) => props['qualifiedName'] === name);
  const contains = { kinds: ['contains'], minConfidence: defaultConfidence };
  const containers = await reasonedLinks(outer, max.edges, contains);
  const keyed = (await keysOf(containers.map(({ src }) => src))).map(([id, key]) => ({ id, key }));
  const files = keyed.toSorted((one, other) => one.id - other.id);
  const certain = { kinds: ['imports'], minConfidence: graphLimits.ambiguousConfidence + 1 };
  const imported = await reasonedLinks(files, max.edges, certain);
  const uses = used.filter(({ kind }) => kind !== 'imports');
  const unplaced = uses.flatMap(({ src, evidence }) => (isPlaced(evidence) ? [] : src));
  const limit = max.around + 1;
  const inside = await inSlices([...new Set(unplaced)], pause, (slice) =>
    endsOfLinks(graph, scope, slice, { ...contains, origins, limit }),
  );
  const links = [...used, ...imported];
  const around = await nodesOf([...unplaced, ...inside]);
  const keys = new Map([...definitions, ...files, ...around].map(({ id, key }) => [id, key]));
  const unread = links.map(({ src }) => src).filter((id) => !keys.has(id));
  for (const [id, key] of await keysOf(unread)) keys.set(id, key);
  const edges = links.flatMap(({ src, kind, dst, rule, evidence, confidence }) => {
    const from = keys.get(src);
    const to = keys.get(dst);
    return from === undefined || to === undefined ? [] : { from, kind, to, rule, evidence, confidence };
  });
  return { definitions: definitions.map(plainNode), edges, around: around.map(plainNode), truncated };
}
