import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { definedName } from '../knowledge/queries/file-definitions.ts';
import { openVisibleGraph } from '../knowledge/queries/visible-graph.ts';
import { listBehind, listNamedRepositories } from '../repositories/named-repositories.ts';
import type { SymbolPlaces } from '../search/find-symbol.ts';
import { partsOfName } from '../search/symbol-name.ts';
import type { ReferenceDeps } from './find-references.ts';
import { targetOf } from './reference-target.ts';
import { targetDefinitions } from './target-definitions.ts';

/** Maximum numbers of definitions with the last part of a name, and of repositories that the graph has not read. */
const max = { nodes: 2_000, behind: 1_000 } as const;

/**
 * Returns where the definitions are that a qualified name (`Lease.renew`) means for `find_references`: `undefined` if it
 * has one part, if the graph knows no such definition, or if it knows too many with the last part.
 * @throws InvalidInput for a text that is no name
 */
export async function qualifiedDefinitions(
  { queries, knowledge, codeSearch }: Pick<ReferenceDeps, 'queries' | 'knowledge' | 'codeSearch'>,
  scope: OrgScope,
  name: string,
  signal: AbortSignal,
): Promise<SymbolPlaces | undefined> {
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
  const behind = await listBehind(queries, scope, max.behind);
  return { places: targets, repositories: new Set(behind.map(({ id }) => String(id))) };
}
