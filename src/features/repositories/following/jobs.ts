import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { checkSource, type FollowDeps } from './check-source.ts';
import { type DueRepository, listDueRepositories } from './due-repositories.ts';

/** Number of sources that a worker checks at the same time, and the most it checks in one round. */
const concurrency = 4;
const maxPerRound = 200;

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
  const due = await listDueRepositories(deps.database.queries, deps.clock(), maxPerRound);
  const rest = due.values();
  const checkRest = async (): Promise<void> => {
    for (const one of rest) {
      if (signal.aborted) return;
      await check(deps, one, signal);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, checkRest));
}

async function check(deps: FollowDeps, due: DueRepository, signal: AbortSignal): Promise<void> {
  try {
    await checkSource(deps, due, signal);
  } catch (error) {
    if (signal.aborted) return;
    deps.log.error({ err: error, repositoryId: due.ref.id }, 'a source was not checked');
  }
}
