import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type DefinedName, definedName } from '../knowledge/queries/file-definitions.ts';
import { openVisibleGraph } from '../knowledge/queries/visible-graph.ts';
import { listNamedRepositories } from '../repositories/named-repositories.ts';
import { partsOfName } from '../search/symbol-name.ts';
import type { ReferenceDeps } from './find-references.ts';
import { targetOf } from './reference-target.ts';
import { targetDefinitions } from './target-definitions.ts';

/** Maximum number of definitions with the last part of a name. */
const maxNodes = 2_000;

/**
 * Returns the definitions that a qualified name (`Lease.renew`) means for `find_references`: `undefined` if it has one
 * part, or if the graph knows no such definition.
 * @throws InvalidInput for a text that is no name
 */
export async function qualifiedDefinitions(
  { queries, knowledge, codeSearch }: Pick<ReferenceDeps, 'queries' | 'knowledge' | 'codeSearch'>,
  scope: OrgScope,
  name: string,
  signal: AbortSignal,
): Promise<readonly DefinedName[] | undefined> {
  if (partsOfName(name).length < 2) return undefined;
  const repositories = await listNamedRepositories(queries, scope);
  const { graph } = await openVisibleGraph(knowledge, scope);
  const target = await targetOf(graph, scope, { name }, repositories);
  const { nodes } = await graph.search(scope, {
    text: target.name,
    whole: true,
    kinds: ['symbol'],
    limit: maxNodes,
  });
  const definitions = nodes.filter((node) => node.name === target.name).flatMap(definedName);
  const lookup = { codeSearch, graph, scope, repositories, signal };
  return (await targetDefinitions(lookup, target, definitions)).targets;
}
