import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import { dataFolder } from '../../../foundation/kernel/data-folder.ts';
import { removeLeftRunFolders } from '../../../foundation/kernel/run-folder.ts';
import { checkDueConnections } from './due-connections.ts';
import { type ConfigurationDeps, syncConfiguration } from './sync-configuration.ts';

/** Follows the configuration of every bound connection. */
export function configurationJobs(deps: ConfigurationDeps & { readonly dataDir: string }): FeatureJobs {
  return {
    handlers: deps.connectors.map(({ syncConfig }) =>
      handle(syncConfig, (payload, context) => syncConfiguration(deps, payload, context)),
    ),
    reconciler: {
      subject: 'configurations of connections',
      prepare: () => removeLeftRunFolders(dataFolder(deps.dataDir).proposals),
      reconcile: (signal) => checkDueConnections(deps, signal),
    },
  };
}
