import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { isFolderId } from '../folder-id.ts';

/** Maximum length of an id, in characters; a shard name contains two ids. */
const maxIdLength = 80;

/**
 * Returns the name of a repository in Zoekt's index: its organization, a slash, its id. Results are assigned to an
 * organization by this name, so ids that could produce the name of another organization return `undefined`.
 */
export function indexName(scope: DataScope, repository: RepositoryId): string | undefined {
  return isPlain(scope.organizationId) && isPlain(repository)
    ? `${scope.organizationId}/${repository}`
    : undefined;
}

/** Returns the repository of this organization with this name in the index; `undefined` for any other name. */
export function repositoryOf(scope: DataScope, name: string): RepositoryId | undefined {
  const prefix = `${scope.organizationId}/`;
  const id = name.slice(prefix.length);
  return name.startsWith(prefix) && isPlain(id) ? (id as RepositoryId) : undefined;
}

/**
 * Returns whether an id is usable in a folder name and in a shard name: no path, and no characters that Zoekt
 * escapes.
 */
function isPlain(id: string): boolean {
  return isFolderId(id) && id.length <= maxIdLength;
}
