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
  const rows = await searchable(queries, scope).select(['id', 'number', 'name']).execute();
  return rows.map(({ id, number, name }) => ({ id: id as RepositoryId, number, name }));
}

function searchable(queries: Queries, scope: OrgScope) {
  return queries
    .selectFrom('repositories')
    .where(isReadable(scope))
    .where('indexed_commit', 'is not', null)
    .where('indexed_at', 'is not', null)
    .where('state', '!=', 'removing');
}

/** A searchable repository with what changes whenever its index or its part of the graph does. */
export interface VersionedSearchable extends NamedSearchable {
  readonly version: string;
}

/** Lists the repositories of `listNamedRepositories` with the versions of what they contain. */
export async function listVersionedRepositories(
  queries: Queries,
  scope: OrgScope,
): Promise<readonly VersionedSearchable[]> {
  const rows = await searchable(queries, scope)
    .select(['id', 'number', 'name', 'index_generation', 'indexed_commit', 'graph_commit'])
    .execute();
  return rows.map(({ id, number, name, ...versions }) => ({
    id: id as RepositoryId,
    number,
    name,
    version: `${versions.index_generation} ${versions.indexed_commit} ${versions.graph_commit}`,
  }));
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
