import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryState } from './repository.ts';

export interface RepositoryBacklog {
  /** How many repositories of the deployment are in each state; a state without any is absent. */
  readonly states: readonly { readonly state: RepositoryState; readonly count: number }[];
  /** How long the one that waits longest has stood queued, cloning or indexing, in milliseconds; 0 without any. */
  readonly lagMs: number;
}

const onTheirWay: ReadonlySet<RepositoryState> = new Set(['queued', 'cloning', 'indexing']);

/** Over all organizations: what an operator watches. One look at the table. */
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
  const waiting = rows.filter(({ state }) => onTheirWay.has(state));
  const oldest = Math.min(now, ...waiting.map(({ oldestChange }) => oldestChange));
  return { states: rows.map(({ state, count }) => ({ state, count })), lagMs: now - oldest };
}
