import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { commitChanges } from './commits/commit-changes.ts';
import type { MirrorDeps } from './mirror-deps.ts';
import { reconcileMirror } from './reconcile-mirror.ts';
import { mirrorCommit } from './tasks.ts';

export function mirrorJobs(deps: MirrorDeps): FeatureJobs {
  return {
    handlers: [handle(mirrorCommit, (payload, context) => commitChanges(deps, payload, context))],
    reconciler: {
      subject: 'context repositories',
      prepare: () => reconcileMirror(deps),
      reconcile: () => reconcileMirror(deps),
    },
  };
}
