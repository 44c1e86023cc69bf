import type { GraphNode, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { KnowledgeDeps } from '../knowledge-deps.ts';
import { placeOfKey } from '../links/keys.ts';
import { openVisibleGraph } from './visible-graph.ts';

/** A definition of the graph, with the lines that it encloses. */
export interface DefinedName {
  readonly key: string;
  readonly repositoryId: string;
  readonly path: string;
  readonly qualifiedName: string;
  readonly kind: string;
  /** Line of the name; 1-based. */
  readonly line: number;
  readonly endLine: number;
}

/** Maximum number of definitions of a file that are read: for an outline, and for those in some lines. */
const max = { outline: 1_000, inLines: 2_000 } as const;

/** Returns the definitions of a file by their lines, at most 1,000; none for a file that the graph lacks. */
export async function outlineOf(
  deps: KnowledgeDeps,
  scope: OrgScope,
  file: string,
): Promise<readonly DefinedName[]> {
  const { graph } = await openVisibleGraph(deps, scope);
  return outlineIn(graph, scope, file);
}

/** Returns the definitions of a file in an opened graph, as `outlineOf` does. */
export async function outlineIn(
  graph: GraphReader,
  scope: OrgScope,
  file: string,
): Promise<readonly DefinedName[]> {
  const found = await definitionsIn(graph, scope, file, max.outline);
  return found.toSorted((a, b) => a.line - b.line || b.endLine - a.endLine);
}

/** Returns the key of the innermost definition of a file that has a line, if there is one. */
export async function symbolAt(
  deps: KnowledgeDeps,
  scope: OrgScope,
  file: string,
  at: number,
): Promise<string | undefined> {
  return innermostAt(await outlineOf(deps, scope, file), at)?.key;
}

/**
 * Returns the definitions of a file that begin in some lines, in their order, and the innermost one around the first
 * line.
 */
export async function definitionsAt(
  graph: GraphReader,
  scope: OrgScope,
  file: string,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<{ readonly begun: readonly DefinedName[]; readonly around: DefinedName | undefined }> {
  const found = await definitionsIn(graph, scope, file, max.inLines);
  const begun = found.filter(({ line }) => line >= first && line <= last);
  return { begun: begun.toSorted((a, b) => a.line - b.line), around: innermostAt(found, first) };
}

function innermostAt(definitions: readonly DefinedName[], at: number): DefinedName | undefined {
  const around = definitions.filter(({ line, endLine }) => line <= at && at <= endLine);
  return around.toSorted((a, b) => a.endLine - a.line - (b.endLine - b.line))[0];
}

/** Returns the definition with a key. */
export async function definitionOf(
  graph: GraphReader,
  scope: OrgScope,
  key: string,
): Promise<DefinedName | undefined> {
  const { nodes } = await graph.get(scope, [key]);
  return nodes.flatMap(definedName)[0];
}

/** Returns the definition that a node is; none for a node of another kind. */
export function definedName({ key, kind, name, props }: GraphNode): readonly DefinedName[] {
  const place = placeOfKey(key);
  const { startLine, endLine, qualifiedName, kind: symbolKind } = props;
  if (kind !== 'symbol' || place === undefined || typeof startLine !== 'number') return [];
  return [
    {
      key,
      ...place,
      qualifiedName: String(qualifiedName ?? name),
      kind: String(symbolKind),
      line: startLine,
      endLine: typeof endLine === 'number' ? endLine : startLine,
    },
  ];
}

async function definitionsIn(
  graph: GraphReader,
  scope: OrgScope,
  file: string,
  limit: number,
): Promise<readonly DefinedName[]> {
  const traversal = { from: [file], direction: 'out', kinds: ['contains'], depth: 1 } as const;
  const { nodes } = await graph.neighbours(scope, { ...traversal, perNode: limit, limit: limit + 1 });
  return nodes.flatMap(definedName);
}
