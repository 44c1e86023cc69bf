import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import {
  listPendingRepositories,
  listSearchableRepositories,
  type PendingRepository,
  type SearchableRepository,
} from '../repositories/repository-store.ts';

export type { PendingRepository, SearchableRepository };

/** What an answer may rest on, and what it has to leave out for now. */
export interface RepositoriesInScope {
  readonly searchable: readonly SearchableRepository[];
  readonly pending: readonly PendingRepository[];
}

/** The organization's repositories, those that answer apart from those that do not yet. */
export async function repositoriesInScope(queries: Queries, scope: OrgScope): Promise<RepositoriesInScope> {
  const [searchable, pending] = await Promise.all([
    listSearchableRepositories(queries, scope),
    listPendingRepositories(queries, scope),
  ]);
  return { searchable, pending };
}
