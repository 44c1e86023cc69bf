import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { type PurgeSignInsDeps, purgeSignIns } from '../identity/sign-in/purge-sign-ins.ts';
import { type PurgeAuthorizationsDeps, purgeAuthorizations } from './purge-authorizations.ts';
import { identityPurge, identityPurgeSchedule } from './tasks.ts';

/** One task purges the sign-ins of `identity` and the authorizations of this feature. */
export function oauthJobs(deps: PurgeSignInsDeps & PurgeAuthorizationsDeps): FeatureJobs {
  return {
    handlers: [
      handle(identityPurge, async (_payload, { signal }) => {
        await purgeSignIns(deps, signal);
        await purgeAuthorizations(deps, signal);
      }),
    ],
    schedules: [identityPurgeSchedule],
  };
}
