import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import {
  listPendingRepositories,
  listSearchableRepositories,
  type PendingRepository,
  type SearchableRepository,
} from '../repositories/repository-store.ts';

export { closestRepository, lastPart } from '../repositories/repository-name.ts';
export type { PendingRepository, SearchableRepository };

/** The organization's repositories, by whether they can be searched. */
export interface RepositoriesInScope {
  readonly searchable: readonly SearchableRepository[];
  readonly pending: readonly PendingRepository[];
}

/** Lists the organization's repositories, the searchable ones apart from the pending ones. */
export async function repositoriesInScope(queries: Queries, scope: OrgScope): Promise<RepositoriesInScope> {
  const [searchable, pending] = await Promise.all([
    listSearchableRepositories(queries, scope),
    listPendingRepositories(queries, scope),
  ]);
  return { searchable, pending };
}
