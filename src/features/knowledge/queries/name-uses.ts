import type { EdgeFact, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Certainty, certaintyOf } from '../certainty.ts';
import { fileKey } from '../links/keys.ts';
import { linesOfEvidence } from '../links/only-lines.ts';
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
  /** The lines in `from` that have this meaning, at most 20, if a variable of `from` has the same name. */
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
  const found = await graph.uses(scope, { name });
  const definitions = found.definitions.flatMap(definedName);
  const meant = new Map(definitions.map(({ key }) => [key, [key]]));
  for (const { key, repositoryId, path, qualifiedName } of definitions) {
    if (qualifiedName !== name) continue;
    const file = fileKey(repositoryId, path);
    meant.set(file, [...(meant.get(file) ?? []), key]);
  }
  const all = found.edges.flatMap((edge) => (meant.get(edge.to) ?? []).map((to) => useOf(edge, to)));
  return {
    definitions,
    uses: all.filter(({ kind }) => kind !== 'imports'),
    imports: all.filter(({ kind }) => kind === 'imports'),
    enclosing: found.around.flatMap(definedName),
    truncated: found.truncated,
  };
}

function useOf(edge: EdgeFact, to: string): NameUse {
  const { from, kind, rule, evidence } = edge;
  const { lines, isOnly } = linesOfEvidence(evidence);
  return {
    from,
    to,
    kind,
    certainty: certaintyOf(edge),
    rule,
    line: lines[0],
    ...(isOnly ? { onlyLines: lines } : {}),
  };
}
