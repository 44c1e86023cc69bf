import type { Queries } from '../../../foundation/db/database.ts';
import type { RepositoryState } from '../repository.ts';

export interface RepositoryBacklog {
  /** Number of repositories of the deployment per state; states without repositories are absent. */
  readonly states: readonly { readonly state: RepositoryState; readonly count: number }[];
  /** Longest time a repository has been queued, cloning or indexing, in milliseconds; 0 if there is none. */
  readonly lagMs: number;
}

const unfinished: ReadonlySet<RepositoryState> = new Set(['queued', 'cloning', 'indexing']);

/** Returns the backlog of all organizations, for monitoring. Takes one query. */
export async function repositoryBacklog(queries: Queries, now: number): Promise<RepositoryBacklog> {
  const rows = await queries
    .selectFrom('repositories')
    .groupBy('state')
    .select(({ fn }) => [
      'state',
      fn.countAll<number>().as('count'),
      fn.min('state_changed_at').as('oldestChange'),
    ])
    .execute();
  const waiting = rows.filter(({ state }) => unfinished.has(state));
  const oldest = Math.min(now, ...waiting.map(({ oldestChange }) => oldestChange));
  return { states: rows.map(({ state, count }) => ({ state, count })), lagMs: now - oldest };
}
