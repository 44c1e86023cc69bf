import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { isReadable } from './is-readable.ts';
import type { Repository } from './repository.ts';

/** The fields of a searchable repository that a search engine needs. */
export type NamedSearchable = Pick<Repository, 'id' | 'number' | 'name'>;

/**
 * Lists the repositories of `listSearchableRepositories`, in any order, with few fields: each search reads this list,
 * which may have thousands of rows.
 */
export async function listNamedRepositories(
  queries: Queries,
  scope: OrgScope,
): Promise<readonly NamedSearchable[]> {
  const rows = await queries
    .selectFrom('repositories')
    .where(isReadable(scope))
    .where('indexed_commit', 'is not', null)
    .where('indexed_at', 'is not', null)
    .where('state', '!=', 'removing')
    .select(['id', 'number', 'name'])
    .execute();
  return rows.map(({ id, number, name }) => ({ id: id as RepositoryId, number, name }));
}

/** Lists the names of searchable repositories whose files and history the knowledge graph never had. */
export async function listNamesWithoutGraph(
  queries: Queries,
  scope: OrgScope,
  limit: number,
): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('repositories')
    .where(isReadable(scope))
    .where('indexed_commit', 'is not', null)
    .where('graph_commit', 'is', null)
    .where('state', '!=', 'removing')
    .select('name')
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

/** Lists repositories that are not indexed yet, or whose graph is of another commit than their index, by name. */
export async function listBehind(
  queries: Queries,
  scope: OrgScope,
  limit: number,
): Promise<readonly (Pick<Repository, 'id' | 'name'> & { readonly isIndexed: boolean })[]> {
  const rows = await queries
    .selectFrom('repositories')
    .where(isReadable(scope))
    .where('state', '!=', 'removing')
    .where((each) =>
      each.or([
        each('indexed_commit', 'is', null),
        each('graph_commit', 'is', null),
        each('graph_commit', '!=', each.ref('indexed_commit')),
      ]),
    )
    .select(['id', 'name', 'indexed_commit'])
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ id, name, indexed_commit: commit }) => ({
    id: id as RepositoryId,
    name,
    isIndexed: commit !== null,
  }));
}
