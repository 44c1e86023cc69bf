import type { GraphEdge, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Certainty, certainConfidence, certaintyOf } from '../certainty.ts';
import { fileKey } from '../links/keys.ts';
import { type DefinedName, definedName } from './file-definitions.ts';

/** An edge from the definition or file around a use of a name to what the name means there. */
export interface NameUse {
  /** Key of a symbol or file. */
  readonly from: string;
  /** Key of a definition of the name. */
  readonly to: string;
  readonly kind: string;
  readonly certainty: Certainty;
  readonly rule: string;
  /** Line of one of the uses in that file; `undefined` if the evidence is in another file. */
  readonly line: number | undefined;
}

/** The facts of the graph about the definitions of one name. */
export interface NameUses {
  readonly definitions: readonly DefinedName[];
  readonly uses: readonly NameUse[];
  /** Files that import a definition, or certainly import the file of one outside of all others. */
  readonly imports: readonly NameUse[];
  /** The definitions that have uses, and those directly inside of them and of the files that have uses. */
  readonly enclosing: readonly DefinedName[];
  /** A limit left something out: some lines have no certainty. */
  readonly truncated: boolean;
}

/** Maximum numbers of definitions of one name, of nodes that use them, and of what is inside of these. */
const max = { definitions: 1_000, using: 4_000, inside: 6_000, ofOne: 2_000 } as const;
/** Number of names that one search reads. */
const namesPerPage = 500;

/** Returns the definitions of a name, written in the same case, and what uses and imports them. */
export async function usesOfName(graph: GraphReader, scope: OrgScope, name: string): Promise<NameUses> {
  const named = await definitionsOf(graph, scope, name);
  const { definitions } = named;
  if (definitions.length === 0)
    return { definitions, uses: [], imports: [], enclosing: [], truncated: named.truncated };
  const keys = definitions.map(({ key }) => key);
  const into = { direction: 'in', depth: 1, perNode: max.ofOne } as const;
  const used = await graph.neighbours(scope, {
    ...into,
    from: keys,
    kinds: ['calls', 'uses', 'inherits', 'imports'],
    limit: keys.length + max.using,
    minConfidence: 1,
  });
  const outer = definitions.filter(({ qualifiedName }) => qualifiedName === name);
  const byFile = Map.groupBy(outer, ({ repositoryId, path }) => fileKey(repositoryId, path));
  const imported =
    byFile.size === 0
      ? undefined
      : await graph.neighbours(scope, {
          ...into,
          from: [...byFile.keys()],
          kinds: ['imports'],
          limit: byFile.size + max.using,
          minConfidence: certainConfidence,
        });
  const isDefinition = new Set(keys);
  const found = used.edges.filter(({ to }) => isDefinition.has(to)).map((edge) => useOf(edge, edge.to));
  const uses = found.filter(({ kind }) => kind !== 'imports');
  const imports = [
    ...found.filter(({ kind }) => kind === 'imports'),
    ...(imported?.edges ?? []).flatMap((edge) =>
      (byFile.get(edge.to) ?? []).map(({ key }) => useOf(edge, key)),
    ),
  ];
  const from = [...new Set(uses.map((use) => use.from))];
  const inside =
    from.length === 0
      ? undefined
      : await graph.neighbours(scope, {
          from,
          direction: 'out',
          kinds: ['contains'],
          depth: 1,
          perNode: max.ofOne,
          limit: from.length + max.inside,
        });
  return {
    definitions,
    uses,
    imports,
    enclosing: (inside?.nodes ?? []).flatMap(definedName),
    truncated: [named, used, imported, inside].some((each) => each?.truncated === true),
  };
}

/** Reads the definitions with the name, written in the same case. */
async function definitionsOf(
  graph: GraphReader,
  scope: OrgScope,
  name: string,
): Promise<Pick<NameUses, 'definitions' | 'truncated'>> {
  const definitions: DefinedName[] = [];
  for (let cursor: string | undefined; ; ) {
    const search = { text: name, whole: true, kinds: ['symbol'], limit: namesPerPage, cursor } as const;
    const { nodes, nextCursor } = await graph.search(scope, search);
    definitions.push(...nodes.filter((node) => node.name === name).flatMap(definedName));
    if (nextCursor === null) return { definitions, truncated: false };
    if (definitions.length >= max.definitions) return { definitions, truncated: true };
    cursor = nextCursor;
  }
}

function useOf(edge: GraphEdge, to: string): NameUse {
  const { from, kind, rule, evidence } = edge;
  const line = /^line (\d+)/.exec(evidence)?.[1];
  return {
    from,
    to,
    kind,
    certainty: certaintyOf(edge),
    rule,
    line: line === undefined ? undefined : Number(line),
  };
}
