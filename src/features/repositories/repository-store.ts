import type { Queries } from '../../foundation/db/database.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { OrganizationId, RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../foundation/kernel/page.ts';
import type { Repository } from './repository.ts';
import { isRepositoryId } from './repository-id.ts';
import { isRepositoryName } from './repository-name.ts';
import { toRepository } from './repository-row.ts';
import type { RepositoryRef } from './repository-state-store.ts';

/** A repository that answers questions: indexed once at least, and not on its way out. */
export type SearchableRepository = Pick<
  Repository,
  'id' | 'number' | 'name' | 'source' | 'sourceKind' | 'branch' | 'state' | 'indexedBranches'
> & {
  readonly indexedCommit: string;
  /** Milliseconds since the epoch. */
  readonly indexedAt: number;
};

/** A repository that cannot answer yet, with what it is doing. */
export type PendingRepository = Pick<Repository, 'id' | 'name' | 'state' | 'progress' | 'error'>;

/** A checked request to add one. */
export type NewRepository = Pick<Repository, 'name' | 'source' | 'sourceKind' | 'branch' | 'furtherBranches'>;

/** False when one of that name, or of that source and branch, exists in the organization. */
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
      githost_connection_id: null,
      state: 'queued',
      state_changed_at: now,
      progress: null,
      indexed_commit: null,
      indexed_at: null,
      index_generation: 0,
      graph_commit: null,
      files: 0,
      bytes: 0,
      skipped: '{}',
      error: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The one that keeps `wanted` from being added: the same name, or the same source and branch. */
export async function findTwin(
  queries: Queries,
  scope: OrgScope,
  wanted: NewRepository,
): Promise<Repository | undefined> {
  const row = await repositoriesOf(queries, scope)
    .where((e) =>
      e.or([
        e('name', '=', wanted.name),
        e.and([e('source', '=', wanted.source), e('branch', 'is not distinct from', wanted.branch ?? null)]),
      ]),
    )
    .orderBy('id')
    .executeTakeFirst();
  return row && toRepository(row);
}

export async function getRepository(
  queries: Queries,
  scope: OrgScope,
  id: string,
): Promise<Repository | undefined> {
  if (!isRepositoryId(id)) return undefined;
  const row = await repositoriesOf(queries, scope).where('id', '=', id).executeTakeFirst();
  return row && toRepository(row);
}

/** @throws NotFound, alike for unknown and foreign ids. */
export async function requireRepository(queries: Queries, scope: OrgScope, id: string): Promise<Repository> {
  const repository = await getRepository(queries, scope, id);
  if (repository === undefined) throw new NotFound('There is no such repository in this organization.');
  return repository;
}

/** By id, or else by name: the two ways in which people and agents name one. */
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

/** One page, oldest first. @throws InvalidInput for a bad limit or cursor. */
export async function listRepositories(
  queries: Queries,
  scope: OrgScope,
  request: PageRequest = {},
): Promise<Page<Repository>> {
  const { limit, after } = startAfter(request);
  let query = repositoriesOf(queries, scope)
    .orderBy('id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('id', '>', after);
  const rows = await query.execute();
  return pageOf(rows.map(toRepository), limit);
}

/** What search and the advisor may answer from, by name. */
export async function listSearchableRepositories(
  queries: Queries,
  scope: OrgScope,
): Promise<readonly SearchableRepository[]> {
  const rows = await searchableOf(queries, scope).selectAll().orderBy('name').execute();
  return rows.map(toRepository).flatMap((repository) => asSearchable(repository) ?? []);
}

/** The names of `listSearchableRepositories` alone, to choose a suggestion from. */
export async function listSearchableNames(queries: Queries, scope: OrgScope): Promise<readonly string[]> {
  const rows = await searchableOf(queries, scope).select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** What answers of a repository need; `undefined` while it cannot answer. */
export function asSearchable(repository: Repository): SearchableRepository | undefined {
  const { id, number, name, source, sourceKind, branch, state, indexedBranches } = repository;
  const { indexedCommit, indexedAt } = repository;
  if (state === 'removing' || indexedCommit === undefined || indexedAt === undefined) return undefined;
  return { id, number, name, source, sourceKind, branch, state, indexedBranches, indexedCommit, indexedAt };
}

/** What is not searchable yet, by name: for an answer to say so. */
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

/** Every repository of the deployment, for the worker's own start-up; requests never come here. */
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
  return queries
    .selectFrom('repositories')
    .where('organization_id', '=', scope.organizationId)
    .where('indexed_commit', 'is not', null)
    .where('state', '!=', 'removing');
}

function repositoriesOf(queries: Queries, scope: OrgScope) {
  return queries.selectFrom('repositories').selectAll().where('organization_id', '=', scope.organizationId);
}
