import { sql } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { Repository, RepositoryError } from '../repository.ts';
import { toRepository } from '../repository-row.ts';
import type { RepositoryRef } from '../repository-state-store.ts';

/** A repository whose source is to be checked. */
export interface DueRepository {
  readonly ref: RepositoryRef;
  readonly repository: Repository;
  /** Number of failed checks in a row. */
  readonly failedChecks: number;
  /** The planned time; `undefined` if no check was planned yet. */
  readonly dueAt: number | undefined;
}

const turn = sql<number>`row_number() over (partition by organization_id order by next_check_at nulls first, id)`;

/**
 * Lists repositories without work in flight whose check is due or not planned yet. The organizations take turns, so
 * that one with many repositories does not delay the others; of one organization, the longest-waiting come first.
 */
export async function listDueRepositories(
  queries: Queries,
  now: number,
  limit: number,
): Promise<readonly DueRepository[]> {
  const due = queries
    .selectFrom('repositories')
    .select(['id as due_id', 'next_check_at as due_at', turn.as('turn')])
    .where('state', 'in', ['indexed', 'failed'])
    .where((e) => e.or([e('next_check_at', 'is', null), e('next_check_at', '<=', now)]))
    .orderBy('turn')
    .orderBy('due_at', (order) => order.asc().nullsFirst())
    .orderBy('due_id')
    .limit(limit);
  const rows = await queries
    .selectFrom(due.as('due'))
    .innerJoin('repositories', 'repositories.id', 'due.due_id')
    .innerJoin('organizations', 'organizations.id', 'repositories.organization_id')
    .selectAll('repositories')
    .select('organizations.slug as org_slug')
    .orderBy('due.turn')
    .orderBy('due.due_at', (order) => order.asc().nullsFirst())
    .orderBy('due.due_id')
    .execute();
  return rows.map((row) => {
    const repository = toRepository(row);
    const organizationId = row.organization_id as OrganizationId;
    return {
      ref: { scope: { organizationId, orgSlug: row.org_slug }, id: repository.id },
      repository,
      failedChecks: row.failed_checks,
      dueAt: row.next_check_at ?? undefined,
    };
  });
}

/**
 * Plans the next check of a repository. Returns false if another worker did so first; that worker then checks it.
 */
export async function planCheck(queries: Queries, due: DueRepository, nextAt: number): Promise<boolean> {
  const result = await updateOf(queries, due.ref)
    .set({ next_check_at: nextAt })
    .where('next_check_at', 'is not distinct from', due.dueAt ?? null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export interface CheckResult {
  readonly checkedAt: number;
  readonly nextCheckAt: number;
  readonly failedChecks: number;
  /** The reason why the source cannot be read now; `undefined` if it can be. */
  readonly error: RepositoryError | undefined;
}

/** Records a check. The state stays, and so does the error of a failed repository, unless this check has one. */
export async function recordCheck(
  queries: Queries,
  { ref, repository }: Pick<DueRepository, 'ref' | 'repository'>,
  { checkedAt, nextCheckAt, failedChecks, error }: CheckResult,
): Promise<void> {
  const keepsError = error === undefined && repository.state === 'failed';
  await updateOf(queries, ref)
    .set({
      checked_at: checkedAt,
      next_check_at: nextCheckAt,
      failed_checks: failedChecks,
      ...(keepsError ? {} : { error: error === undefined ? null : JSON.stringify(error) }),
    })
    .where('state', '=', repository.state)
    .execute();
}

function updateOf(queries: Queries, { scope, id }: RepositoryRef) {
  return queries
    .updateTable('repositories')
    .where('id', '=', id)
    .where('organization_id', '=', scope.organizationId);
}
