import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { cloneRepository } from './indexing/clone-repository.ts';
import { compactRepository } from './indexing/compact-repository.ts';
import { defineRepository } from './indexing/define-repository.ts';
import { eraseRepository } from './indexing/erase-repository.ts';
import { fetchRepository } from './indexing/fetch-repository.ts';
import { indexRepository } from './indexing/index-repository.ts';
import { repositoriesReconciler } from './reconciling/repositories-reconciler.ts';
import type { WorkDeps } from './reconciling/repository-work.ts';
import {
  repositoryClone,
  repositoryCompact,
  repositoryDefine,
  repositoryFetch,
  repositoryIndex,
  repositoryRemove,
  repositoryUpdate,
} from './tasks.ts';

export function repositoryJobs(deps: WorkDeps & { readonly log: Logger }): FeatureJobs {
  return {
    handlers: [
      handle(repositoryClone, (payload, context) => cloneRepository(deps, payload, context)),
      handle(repositoryIndex, (payload, context) => indexRepository(deps, payload, context)),
      handle(repositoryFetch, (payload, context) => fetchRepository(deps, payload, context)),
      handle(repositoryUpdate, (payload, context) => indexRepository(deps, payload, context)),
      handle(repositoryDefine, (payload, context) => defineRepository(deps, payload, context)),
      handle(repositoryCompact, (payload, context) => compactRepository(deps, payload, context)),
      handle(repositoryRemove, (payload) => eraseRepository(deps, payload)),
    ],
    reconciler: repositoriesReconciler(deps, deps.log),
  };
}
