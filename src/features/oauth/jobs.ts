import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { type PurgeAuthorizationsDeps, purgeAuthorizations } from './purge-authorizations.ts';
import { authorizationsPurge, authorizationsPurgeSchedule } from './tasks.ts';

export function oauthJobs(deps: PurgeAuthorizationsDeps): FeatureJobs {
  return {
    handlers: [handle(authorizationsPurge, (_payload, { signal }) => purgeAuthorizations(deps, signal))],
    schedules: [authorizationsPurgeSchedule],
  };
}
