import type { EdgeFact, GraphReader } from '../../../backends/graph/port.ts';
import { addTo } from '../../../foundation/kernel/add-to.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Certainty, certaintyOf } from '../certainty.ts';
import { fileKey } from '../links/keys.ts';
import { isPlaced, linesOfEvidence, type UseLines } from '../links/use-lines.ts';
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
  /** The lines in `from` that have this meaning, if others with the name may have another one. */
  readonly onlyLines?: readonly number[];
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

/** Returns the definitions of a name, written in the same case, and what uses and imports them. */
export async function usesOfName(graph: GraphReader, scope: OrgScope, name: string): Promise<NameUses> {
  const found = await graph.uses(scope, { name, isPlaced });
  const definitions = found.definitions.flatMap(definedName);
  const meant = new Map(definitions.map(({ key }) => [key, [key]]));
  for (const { key, repositoryId, path, qualifiedName } of definitions) {
    if (qualifiedName !== name) continue;
    const file = fileKey(repositoryId, path);
    addTo(meant, file, key);
  }
  // A use of a frequent name has many candidates, with the same evidence.
  const placed = new Map<string, UseLines>();
  const all = found.edges.flatMap((edge) => {
    const lines = placed.get(edge.evidence) ?? linesOfEvidence(edge.evidence);
    placed.set(edge.evidence, lines);
    return (meant.get(edge.to) ?? []).flatMap((to) => usesOf(edge, to, lines));
  });
  return {
    definitions,
    uses: all.filter(({ kind }) => kind !== 'imports'),
    imports: all.filter(({ kind }) => kind === 'imports'),
    enclosing: found.around.flatMap(definedName),
    truncated: found.truncated,
  };
}

/** Returns the uses that an edge stands for: certain ones, and possible ones beside them. */
function usesOf(edge: EdgeFact, to: string, { lines, possible, others }: UseLines): readonly NameUse[] {
  const { from, kind, rule } = edge;
  const use = { from, to, kind, certainty: certaintyOf(edge), rule, line: lines[0] };
  if (others === 'same') return [use];
  const perhaps = { ...use, certainty: 'possible', rule: 'candidates', line: undefined } as const;
  return [
    { ...use, onlyLines: lines },
    ...(possible.length === 0 ? [] : [{ ...perhaps, onlyLines: possible }]),
    ...(others === 'possible' ? [perhaps] : []),
  ];
}
