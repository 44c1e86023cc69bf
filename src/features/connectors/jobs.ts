import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { removeLeftRunFolders } from '../../foundation/kernel/run-folder.ts';
import { checkDueConnections } from './configuration/due-connections.ts';
import { type ConfigurationDeps, syncConfiguration } from './configuration/sync-configuration.ts';
import { pruneDeliveries } from './intake/delivery-store.ts';
import { deliveriesPrune, deliveriesPruneSchedule } from './intake/tasks.ts';
import { finishDisconnect } from './setup/remove-connection.ts';
import { connectionDisconnect } from './setup/tasks.ts';

/** Returns the background work that all connectors share. */
export function sharedConnectorJobs(deps: ConfigurationDeps & { readonly dataDir: string }): FeatureJobs {
  return {
    handlers: [
      ...deps.connectors.map(({ tasks }) =>
        handle(tasks.config, (payload, context) => syncConfiguration(deps, payload, context)),
      ),
      handle(deliveriesPrune, (_payload, { signal }) => pruneDeliveries(deps, signal)),
      handle(connectionDisconnect, (payload, context) => finishDisconnect(deps, payload, context)),
    ],
    schedules: [deliveriesPruneSchedule],
    reconciler: {
      subject: 'configurations of connections',
      prepare: () => removeLeftRunFolders(dataFolder(deps.dataDir).proposals),
      reconcile: (signal) => checkDueConnections(deps, signal),
    },
  };
}
