import type { Fresh, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { fileKey, repoKey } from '../links/keys.ts';
import { keysOf, merged, type RelatedNode, reached, requireNode, step } from './related-node.ts';

export interface Owners extends Fresh {
  /** People and teams, with the rule that names them. Those of the file come before those of its services. */
  readonly owners: readonly RelatedNode[];
  readonly truncated: boolean;
}

/**
 * Returns who owns a file: by CODEOWNERS, or else by the services that its repository implements.
 * @throws NotFound
 */
export async function findOwners(
  graph: GraphReader,
  scope: OrgScope,
  { repositoryId, path }: { readonly repositoryId: string; readonly path: string },
): Promise<Owners> {
  const file = fileKey(repositoryId, path);
  await requireNode(graph, scope, file);
  const own = await step(graph, scope, { from: [file], direction: 'out', kinds: ['owned_by'] });
  const named = reached(own, [file], ['person', 'team']);
  const { freshness } = own;
  if (named.length > 0) return { owners: named, truncated: own.truncated, freshness };
  const { services, truncated } = await findServices(graph, scope, repositoryId);
  if (services.length === 0) return { owners: [], truncated: own.truncated || truncated, freshness };
  const ofServices = await step(graph, scope, { from: services, direction: 'out', kinds: ['owned_by'] });
  return {
    owners: merged(reached(ofServices, services, ['person', 'team'])),
    truncated: own.truncated || truncated || ofServices.truncated,
    freshness,
  };
}

/** Returns the keys of the services that a repository implements. */
export async function findServices(
  graph: GraphReader,
  scope: OrgScope,
  repositoryId: string,
): Promise<{ readonly services: readonly string[]; readonly truncated: boolean }> {
  const repository = repoKey(repositoryId);
  const found = await step(graph, scope, { from: [repository], direction: 'out', kinds: ['implements'] });
  return { services: keysOf(reached(found, [repository], ['service'])), truncated: found.truncated };
}
