import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import { checkDueConnections } from './due-connections.ts';
import { type ConfigurationDeps, syncConfiguration } from './sync-configuration.ts';

/** Follows the configuration of every bound connection. */
export function configurationJobs(deps: ConfigurationDeps): FeatureJobs {
  return {
    handlers: deps.connectors.map(({ syncConfig }) =>
      handle(syncConfig, (payload, context) => syncConfiguration(deps, payload, context)),
    ),
    reconciler: {
      subject: 'configurations of connections',
      prepare: () => Promise.resolve(),
      reconcile: (signal) => checkDueConnections(deps, signal),
    },
  };
}
