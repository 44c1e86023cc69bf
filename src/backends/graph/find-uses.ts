import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { type Adjacency, defaultConfidence, type Link, type LinkQuery, plainNode } from './adjacency.ts';
import { inSlices, rowsAtOnce, sliceSize } from './find-neighbours.ts';
import { foldName } from './name-terms.ts';
import { graphLimits, type NamedUses, type UsesSearch } from './port.ts';
import type { NamedNode, NameIndex, NameQuery } from './search-names.ts';

/** Maximum numbers of definitions, of edges, of nodes around these, and of the edges of one node. */
const max = { definitions: 1_000, edges: 20_000, around: 10_000, perNode: 2_000 } as const;

/**
 * Finds the definitions of a name with their uses, by the numbers of the nodes. Other requests go on between two
 * statements.
 */
export async function findUses(
  store: Adjacency & Pick<NameIndex, 'byPrefix'>,
  scope: DataScope,
  { name, origins }: UsesSearch,
): Promise<Omit<NamedUses, 'freshness'>> {
  const pause = openPauses();
  let truncated = false;

  const definitionsOf = async (): Promise<readonly NamedNode[]> => {
    const whole = { folded: foldName(name.trim()), whole: true, words: [], kinds: ['symbol'], origins };
    const found: NamedNode[] = [];
    for (let after: NameQuery['after']; ; await pause()) {
      const page = await store.byPrefix(scope, { ...whole, after, limit: rowsAtOnce });
      found.push(...page.filter((node) => node.name === name));
      after = page.at(-1);
      if (page.length < rowsAtOnce) return found;
      if (found.length < max.definitions) continue;
      truncated = true;
      return found;
    }
  };

  /** Reads the links of nodes, up to a number of them. */
  const linksOf = async (
    ids: readonly number[],
    most: number,
    query: Omit<LinkQuery, 'perNode'>,
  ): Promise<readonly Link[]> => {
    const found: Link[] = [];
    const { perNode } = max;
    for (let first = 0; first < ids.length && found.length <= most; first += sliceSize) {
      for (const link of await store.links(scope, ids.slice(first, first + sliceSize), { ...query, perNode }))
        found.push(link);
      await pause();
    }
    truncated ||= found.length > most;
    return found.slice(0, most);
  };

  const definitions = await definitionsOf();
  const used = await linksOf(numbersOf(definitions), max.edges, {
    direction: 'in',
    kinds: ['calls', 'uses', 'inherits', 'imports'],
    minConfidence: 1,
  });
  const containers = await linksOf(
    numbersOf(definitions.filter(({ props }) => props['qualifiedName'] === name)),
    max.definitions,
    { direction: 'in', kinds: ['contains'], minConfidence: defaultConfidence },
  );
  const imported = await linksOf([...new Set(containers.map(({ src }) => src))], max.edges - used.length, {
    direction: 'in',
    kinds: ['imports'],
    minConfidence: graphLimits.ambiguousConfidence + 1,
  });
  const starts = new Set(used.flatMap(({ kind, src }) => (kind === 'imports' ? [] : src)));
  const inside = await linksOf([...starts], max.around, {
    direction: 'out',
    kinds: ['contains'],
    minConfidence: defaultConfidence,
  });
  const around = [...new Set([...starts, ...inside.map(({ dst }) => dst)])];
  truncated ||= around.length > max.around;
  const links = [...used, ...imported];
  const described = await inSlices(links, pause, (slice) => store.describe(scope, slice));
  const nodes = await inSlices(around.slice(0, max.around), pause, (slice) => store.nodesById(scope, slice));
  return {
    definitions: definitions.map(plainNode),
    edges: described.map(({ edge }) => edge),
    around: nodes.map(plainNode),
    truncated,
  };
}

function numbersOf(nodes: readonly NamedNode[]): readonly number[] {
  return nodes.map(({ id }) => id);
}
