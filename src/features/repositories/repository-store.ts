import { sql } from 'kysely';
import type { Database, Queries } from '../../foundation/db/database.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { OrganizationId, RepositoryId } from '../../foundation/kernel/ids.ts';
import type { DataScope, OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../foundation/kernel/wire/page.ts';
import { isReadable } from './is-readable.ts';
import type { Repository, RepositoryState } from './repository.ts';
import { isRepositoryId } from './repository-id.ts';
import { isRepositoryName } from './repository-name.ts';
import { type SearchablePart, searchableColumns, searchablePart, toRepository } from './repository-row.ts';
import type { RepositoryRef } from './repository-state-store.ts';

/** A repository that can be searched: it was indexed at least once and is not being removed. */
export type SearchableRepository = Pick<
  Repository,
  'id' | 'number' | 'name' | 'source' | 'sourceKind' | 'branch' | 'state' | 'indexedBranches' | 'graphCommit'
> & {
  readonly indexedCommit: string;
  /** Milliseconds since the epoch. */
  readonly indexedAt: number;
};

/** A repository that cannot be searched yet, with its state. */
export type PendingRepository = Pick<Repository, 'id' | 'name' | 'state' | 'progress' | 'error'>;

/** The validated fields of a new repository. */
export type NewRepository = Pick<
  Repository,
  'name' | 'source' | 'sourceKind' | 'branch' | 'furtherBranches'
> &
  Partial<Pick<Repository, 'githostConnectionId' | 'hostRepositoryId'>>;

/** Inserts a repository. Returns false if the organization has one of that name, or of that source and branch. */
export async function insertRepository(
  tx: Queries,
  scope: OrgScope,
  id: RepositoryId,
  repository: NewRepository,
  now: number,
): Promise<boolean> {
  const result = await tx
    .insertInto('repositories')
    .values({
      id,
      organization_id: scope.organizationId,
      name: repository.name,
      source: repository.source,
      source_kind: repository.sourceKind,
      branch: repository.branch ?? null,
      further_branches: JSON.stringify(repository.furtherBranches),
      githost_connection_id: repository.githostConnectionId ?? null,
      host_repository_id: repository.hostRepositoryId ?? null,
      state: 'queued',
      state_changed_at: now,
      progress: null,
      indexed_commit: null,
      indexed_branches: '[]',
      indexed_at: null,
      index_generation: 0,
      graph_commit: null,
      files: 0,
      bytes: 0,
      skipped: '{}',
      left_out_branches: '{}',
      error: null,
      checked_at: null,
      next_check_at: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Finds another repository that conflicts with `wanted`: the same name, or the same source and branch. */
export async function findDuplicate(
  queries: Queries,
  scope: OrgScope,
  wanted: Pick<NewRepository, 'name' | 'source' | 'branch'> & { readonly id?: RepositoryId },
): Promise<Repository | undefined> {
  const row = await repositoriesOf(queries, scope)
    .where((e) =>
      e.or([
        e('name', '=', wanted.name),
        e.and([e('source', '=', wanted.source), e('branch', 'is not distinct from', wanted.branch ?? null)]),
      ]),
    )
    .where('id', '!=', wanted.id ?? '')
    .orderBy('id')
    .executeTakeFirst();
  return row && toRepository(row);
}

/**
 * Finds another repository of the organization whose name is a folder of `name`, or the other way round: an address
 * such as `open/lib/a.ts` would name a file of either. Without the limit of a key, because names are those of all.
 */
export async function findNested(
  queries: Queries,
  { organizationId }: OrgScope,
  { id, name }: { readonly id: RepositoryId; readonly name: string },
): Promise<{ readonly id: RepositoryId; readonly name: string } | undefined> {
  const above = name.split('/').map((_, index, segments) => segments.slice(0, index).join('/'));
  const row = await queries
    .selectFrom('repositories')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', '!=', id)
    .where((e) =>
      e.or([e('name', 'in', above), sql<boolean>`substr(name, 1, ${name.length + 1}) = ${`${name}/`}`]),
    )
    .orderBy('id')
    .executeTakeFirst();
  return row && { id: row.id as RepositoryId, name: row.name };
}

/**
 * Changes where a repository comes from. Its last error, which was about the former source, is forgotten, and its next
 * check is planned anew, which also adds the webhook at the new Git host.
 */
export async function updateSource(
  tx: Queries,
  scope: OrgScope,
  id: RepositoryId,
  { name, source, sourceKind, branch, furtherBranches, githostConnectionId, hostRepositoryId }: NewRepository,
): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({
      source,
      source_kind: sourceKind,
      branch: branch ?? null,
      further_branches: JSON.stringify(furtherBranches),
      name,
      githost_connection_id: githostConnectionId ?? null,
      host_repository_id: hostRepositoryId ?? null,
      error: null,
      next_check_at: null,
      failed_checks: 0,
    })
    .where('id', '=', id)
    .where('organization_id', '=', scope.organizationId)
    .execute();
}

/** Saves the new address of a repository that its Git host moved, unless another repository has that address. */
export async function moveSource({ queries }: Database, ref: RepositoryRef, source: string): Promise<void> {
  const repository = await getRepository(queries, ref.scope, ref.id);
  if (repository === undefined) return;
  const duplicate = await findDuplicate(queries, ref.scope, { ...repository, source });
  if (duplicate !== undefined) return;
  await queries
    .updateTable('repositories')
    .set({ source })
    .where('id', '=', ref.id)
    .where('organization_id', '=', ref.scope.organizationId)
    .execute();
}

export async function getRepository(
  queries: Queries,
  scope: DataScope,
  id: string,
): Promise<Repository | undefined> {
  if (!isRepositoryId(id)) return undefined;
  const row = await repositoriesOf(queries, scope).where('id', '=', id).executeTakeFirst();
  return row && toRepository(row);
}

/** Returns the indexed commit of a repository, and nothing else of it: a page reads files of many repositories. */
export async function getIndexedCommit(
  queries: Queries,
  scope: DataScope,
  id: string,
): Promise<string | undefined> {
  if (!isRepositoryId(id)) return undefined;
  const row = await rowsOf(queries, scope).select('indexed_commit').where('id', '=', id).executeTakeFirst();
  return row?.indexed_commit ?? undefined;
}

/** Returns the state of a repository, and nothing else of it: work on it watches its state all the time. */
export async function getState(
  queries: Queries,
  scope: DataScope,
  id: RepositoryId,
): Promise<RepositoryState | undefined> {
  const row = await rowsOf(queries, scope).select('state').where('id', '=', id).executeTakeFirst();
  return row?.state;
}

/** Returns one repository. @throws NotFound, for unknown ids and for ids of other organizations alike. */
export async function requireRepository(queries: Queries, scope: OrgScope, id: string): Promise<Repository> {
  const repository = await getRepository(queries, scope, id);
  if (repository === undefined) throw new NotFound('There is no such repository in this organization.');
  return repository;
}

/** Finds a repository by id, or else by name. */
export async function findRepository(
  queries: Queries,
  scope: OrgScope,
  idOrName: string,
): Promise<Repository | undefined> {
  const byId = await getRepository(queries, scope, idOrName);
  if (byId !== undefined || !isRepositoryName(idOrName)) return byId;
  const row = await repositoriesOf(queries, scope).where('name', '=', idOrName).executeTakeFirst();
  return row && toRepository(row);
}

/** Selects repositories of a list. Every defined field must match. */
export interface RepositoryFilter {
  readonly state?: RepositoryState | undefined;
  /** A part of the name, regardless of the case of ASCII letters. */
  readonly name?: string | undefined;
}

/** Returns one page, oldest first. @throws InvalidInput for a bad limit or cursor. */
export async function listRepositories(
  queries: Queries,
  scope: OrgScope,
  request: PageRequest & RepositoryFilter = {},
): Promise<Page<Repository>> {
  const { limit, after } = startAfter(request);
  const { state, name } = request;
  let query = repositoriesOf(queries, scope)
    .orderBy('id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('id', '>', after);
  if (state !== undefined) query = query.where('state', '=', state);
  if (name !== undefined) {
    const pattern = `%${name.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    query = query.where(sql<boolean>`lower(name) like ${pattern} escape '\\'`);
  }
  const rows = await query.execute();
  return pageOf(rows.map(toRepository), limit);
}

/** Lists the repositories that search and the advisor may use, by name. */
export async function listSearchableRepositories(
  queries: Queries,
  scope: OrgScope,
): Promise<readonly SearchableRepository[]> {
  // Only the needed columns: each search reads this list, which may have thousands of rows.
  const rows = await searchableOf(queries, scope).select(searchableColumns).orderBy('name').execute();
  return rows.flatMap((row) => asSearchable(searchablePart(row)) ?? []);
}

/** Returns the names of the repositories of `listSearchableRepositories`, by id. */
export async function searchableNamesById(
  queries: Queries,
  scope: OrgScope,
): Promise<ReadonlyMap<string, string>> {
  const rows = await searchableOf(queries, scope).select(['id', 'name']).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Lists the names of all repositories, whether searchable or not, except those being removed. */
export async function listRepositoryNames(queries: Queries, scope: OrgScope): Promise<readonly string[]> {
  const rows = await rowsOf(queries, scope)
    .select('name')
    .where('state', '!=', 'removing')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

/** Lists only the names of `listSearchableRepositories`, for suggestions. */
export async function listSearchableNames(queries: Queries, scope: OrgScope): Promise<readonly string[]> {
  const rows = await searchableOf(queries, scope).select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** Returns the repository as searchable; `undefined` if it cannot be searched. */
export function asSearchable(repository: SearchablePart): SearchableRepository | undefined {
  const { id, number, name, source, sourceKind, branch, state, indexedBranches } = repository;
  const { indexedCommit, indexedAt, graphCommit } = repository;
  if (state === 'removing' || indexedCommit === undefined || indexedAt === undefined) return undefined;
  return {
    id,
    number,
    name,
    source,
    sourceKind,
    branch,
    state,
    indexedBranches,
    indexedCommit,
    indexedAt,
    graphCommit,
  };
}

/** Lists the repositories that are not searchable yet, by name. Answers mention them. */
export async function listPendingRepositories(
  queries: Queries,
  scope: OrgScope,
): Promise<readonly PendingRepository[]> {
  const rows = await repositoriesOf(queries, scope)
    .where('indexed_commit', 'is', null)
    .where('state', '!=', 'removing')
    .orderBy('name')
    .execute();
  return rows.map(toRepository).map(({ id, name, state, progress, error }) => ({
    id,
    name,
    state,
    progress,
    error,
  }));
}

/** Lists every repository of the deployment, for the start of a worker. Requests must not use it. */
export async function* listEveryRepository(
  queries: Queries,
): AsyncIterable<{ readonly ref: RepositoryRef; readonly repository: Repository }> {
  let after = '';
  for (;;) {
    const rows = await queries
      .selectFrom('repositories')
      .innerJoin('organizations', 'organizations.id', 'repositories.organization_id')
      .selectAll('repositories')
      .select('organizations.slug as org_slug')
      .where('repositories.id', '>', after)
      .orderBy('repositories.id')
      .limit(200)
      .execute();
    for (const row of rows) {
      const repository = toRepository(row);
      const organizationId = row.organization_id as OrganizationId;
      yield { ref: { scope: { organizationId, orgSlug: row.org_slug }, id: repository.id }, repository };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function searchableOf(queries: Queries, scope: OrgScope) {
  return rowsOf(queries, scope).where('indexed_commit', 'is not', null).where('state', '!=', 'removing');
}

function repositoriesOf(queries: Queries, scope: DataScope) {
  return rowsOf(queries, scope).selectAll();
}

function rowsOf(queries: Queries, scope: DataScope) {
  return queries.selectFrom('repositories').where(isReadable(scope));
}
