import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { type PurgeSignInsDeps, purgeSignIns } from './sign-in/purge-sign-ins.ts';
import { signInsPurge, signInsPurgeSchedule } from './tasks.ts';

export function identityJobs(deps: PurgeSignInsDeps): FeatureJobs {
  return {
    handlers: [handle(signInsPurge, (_payload, { signal }) => purgeSignIns(deps, signal))],
    schedules: [signInsPurgeSchedule],
  };
}
