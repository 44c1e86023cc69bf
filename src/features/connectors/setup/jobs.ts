import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import { type DisconnectDeps, finishDisconnect } from './finish-disconnect.ts';
import { connectionDisconnect } from './tasks.ts';

export function setupJobs(deps: DisconnectDeps): FeatureJobs {
  return {
    handlers: [handle(connectionDisconnect, (payload, context) => finishDisconnect(deps, payload, context))],
  };
}
