import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { isReadable } from './is-readable.ts';
import type { RepositoryState } from './repository.ts';

/** The numbers of repositories of an organization, by their state. */
export interface RepositorySummary {
  readonly total: number;
  readonly byState: Readonly<Partial<Record<RepositoryState, number>>>;
  readonly searchable: number;
  /** Time at which a repository was last indexed, in milliseconds since the epoch. */
  readonly lastIndexedAt: number | undefined;
}

export async function summarizeRepositories(queries: Queries, scope: OrgScope): Promise<RepositorySummary> {
  const rows = await queries
    .selectFrom('repositories')
    .where(isReadable(scope))
    .groupBy('state')
    .select((e) => [
      'state',
      e.fn.countAll().as('repositories'),
      e.fn.count('indexed_commit').as('searchable'),
      e.fn.max('indexed_at').as('last'),
    ])
    .execute();
  const byState: Partial<Record<RepositoryState, number>> = {};
  let [total, searchable, last] = [0, 0, 0];
  for (const row of rows) {
    byState[row.state as RepositoryState] = Number(row.repositories);
    total += Number(row.repositories);
    if (row.state !== 'removing') searchable += Number(row.searchable);
    last = Math.max(last, row.last ?? 0);
  }
  return { total, byState, searchable, lastIndexedAt: last === 0 ? undefined : last };
}
