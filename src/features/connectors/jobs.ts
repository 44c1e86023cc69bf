import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { configurationJobs } from './configuration/jobs.ts';
import type { ConfigurationDeps } from './configuration/sync-configuration.ts';
import { intakeJobs } from './intake/jobs.ts';
import type { PruneDeps } from './intake/prune-deliveries.ts';
import type { DisconnectDeps } from './setup/finish-disconnect.ts';
import { setupJobs } from './setup/jobs.ts';

/** Returns the background work that all connectors share. */
export function sharedConnectorJobs(
  deps: PruneDeps & ConfigurationDeps & DisconnectDeps & { readonly dataDir: string },
): FeatureJobs {
  const configuration = configurationJobs(deps);
  const others = [intakeJobs(deps), setupJobs(deps)];
  return {
    ...configuration,
    handlers: [configuration, ...others].flatMap(({ handlers }) => handlers),
    schedules: others.flatMap(({ schedules = [] }) => schedules),
  };
}
