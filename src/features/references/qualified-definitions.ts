import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import { type DefinedName, definedName, outlineIn } from '../knowledge/queries/file-definitions.ts';
import { openVisibleGraph } from '../knowledge/queries/visible-graph.ts';
import { listBehind, listNamedRepositories } from '../repositories/named-repositories.ts';
import type { WantedSymbols } from '../search/find-symbol.ts';
import { partsOfName, unqualified } from '../search/symbol-name.ts';
import type { ReferenceDeps } from './find-references.ts';
import { targetOf } from './reference-target.ts';
import { targetDefinitions } from './target-definitions.ts';

/**
 * Maximum numbers of definitions with the last part of a name, of repositories that the graph has not read, and of files
 * that are searched alone, of which a query names 20 at most, and whose overloads are told.
 */
const max = { nodes: 2_000, behind: 1_000, files: 15 } as const;

/**
 * Returns which definitions a qualified name (`Lease.renew`) means for `find_references`: `undefined` if it has one part,
 * if the graph knows no such definition, or if it knows too many with the last part.
 * @throws InvalidInput for a text that is no name
 */
export async function qualifiedDefinitions(
  { queries, knowledge, codeSearch }: Pick<ReferenceDeps, 'queries' | 'knowledge' | 'codeSearch'>,
  scope: OrgScope,
  name: string,
  signal: AbortSignal,
): Promise<WantedSymbols | undefined> {
  if (partsOfName(name).length < 2) return undefined;
  const repositories = await listNamedRepositories(queries, scope);
  const { graph } = await openVisibleGraph(knowledge, scope);
  const target = await targetOf(graph, scope, { name }, repositories);
  const search = { text: target.name, whole: true, kinds: ['symbol'], limit: max.nodes };
  const { nodes, nextCursor } = await graph.search(scope, search);
  if (nextCursor !== null) return undefined;
  const named = nodes.filter((node) => node.name === target.name).flatMap(definedName);
  const lookup = { codeSearch, graph, scope, repositories, signal };
  const { targets } = await targetDefinitions(lookup, target, named);
  if (targets === undefined) return undefined;
  // The lines of the graph are not those of a newer index.
  const behind = new Set((await listBehind(queries, scope, max.behind)).map(({ id }) => String(id)));
  const byFile = Map.groupBy(targets, ({ repositoryId, path }) => fileKey(repositoryId, path));
  const filters = new Map<string, (line: number) => boolean>();
  for (const [index, [file, meant]] of [...byFile].entries()) {
    const outline = index < max.files ? await outlineIn(graph, scope, file) : [];
    filters.set(file, lineFilter(target.name, meant, outline));
  }
  const areListed = behind.size === 0 && byFile.size <= max.files;
  return {
    repositories: new Set([...behind, ...targets.map(({ repositoryId }) => repositoryId)]),
    paths: areListed ? [...new Set(targets.map(({ path }) => path))] : undefined,
    isWanted: ({ repositoryId, path, line }) =>
      behind.has(repositoryId) || filters.get(fileKey(repositoryId, path))?.(line) === true,
  };
}

/** Returns a filter of the lines of some definitions and of their overloads, of which the graph has only one. */
function lineFilter(
  name: string,
  meant: readonly DefinedName[],
  outline: readonly DefinedName[],
): (line: number) => boolean {
  const lines = new Set(meant.map((each) => each.line));
  const owners = new Set(meant.map(({ qualifiedName }) => ownerOf(qualifiedName)));
  const others = outline.filter(({ qualifiedName }) => unqualified(qualifiedName) !== name);
  const around = (line: number): DefinedName | undefined =>
    others.findLast((each) => each.line <= line && line <= each.endLine);
  return (line) => lines.has(line) || (outline.length > 0 && owners.has(around(line)?.qualifiedName ?? ''));
}

function ownerOf(qualifiedName: string): string {
  return partsOfName(qualifiedName).slice(0, -1).join('.');
}
