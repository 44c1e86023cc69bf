import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { checkSource, type FollowDeps } from './check-source.ts';
import { type DueRepository, listDueRepositories } from './due-repositories.ts';

/**
 * Number of sources that a worker checks at the same time, in total and of one organization: hosts that do not respond
 * must not delay the checks of others.
 */
const concurrency = { total: 6, perOrganization: 4 } as const;

/** Limits of one round: number of sources, and milliseconds after which no further check starts. */
const maxPerRound = 200;
const maxRoundMs = 60_000;

/**
 * Follows the branches of every repository: each source is checked once per SYNC_INTERVAL. The checks are no jobs, so
 * that hosts that do not respond take no slot from other work.
 */
export function followingJobs(deps: FollowDeps): FeatureJobs {
  return {
    handlers: [],
    reconciler: {
      subject: 'sources of repositories',
      prepare: () => Promise.resolve(),
      reconcile: (signal) => followSources(deps, signal),
    },
  };
}

async function followSources(deps: FollowDeps, signal: AbortSignal): Promise<void> {
  const rest = [...(await listDueRepositories(deps.database.queries, deps.clock(), maxPerRound))];
  const running = new Map<string, number>();
  const runningOf = ({ ref }: DueRepository): number => running.get(ref.scope.organizationId) ?? 0;
  const count = (due: DueRepository, change: number): void =>
    void running.set(due.ref.scope.organizationId, runningOf(due) + change);
  const endsAt = deps.clock() + maxRoundMs;
  const checkRest = async (): Promise<void> => {
    while (!signal.aborted && deps.clock() < endsAt) {
      const next = rest.findIndex((due) => runningOf(due) < concurrency.perOrganization);
      const [due] = next === -1 ? [] : rest.splice(next, 1);
      if (due === undefined) return;
      count(due, 1);
      await check(deps, due, signal);
      count(due, -1);
    }
  };
  await Promise.all(Array.from({ length: concurrency.total }, checkRest));
}

async function check(deps: FollowDeps, due: DueRepository, signal: AbortSignal): Promise<void> {
  try {
    await checkSource(deps, due, signal);
  } catch (error) {
    if (signal.aborted) return;
    deps.log.error({ err: error, repositoryId: due.ref.id }, 'a source was not checked');
  }
}
