import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { isFolderId } from '../folder-id.ts';

/** Characters: the name of a shard holds two of them. */
const MOST_OF_ID = 80;

/**
 * What a repository is called in Zoekt's index: its organization, a slash, its id. The organization is read from this
 * name when answers come back, so a name that another organization could own is none.
 */
export function indexName(scope: OrgScope, repository: RepositoryId): string | undefined {
  return isPlain(scope.organizationId) && isPlain(repository)
    ? `${scope.organizationId}/${repository}`
    : undefined;
}

/** The repository of this organization that a name in the index stands for; `undefined` for everything else. */
export function repositoryOf(scope: OrgScope, name: string): RepositoryId | undefined {
  const prefix = `${scope.organizationId}/`;
  const id = name.slice(prefix.length);
  return name.startsWith(prefix) && isPlain(id) ? (id as RepositoryId) : undefined;
}

/** It becomes a folder, and with another a file of Zoekt's: neither a path nor anything that Zoekt would escape. */
function isPlain(id: string): boolean {
  return isFolderId(id) && id.length <= MOST_OF_ID;
}
