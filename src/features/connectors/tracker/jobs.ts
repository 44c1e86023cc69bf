import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle, handleBatch } from '../../../foundation/jobs/handler.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { HostPauses } from '../assets/host-pauses.ts';
import { mirrorAssetFile } from '../assets/mirror-asset.ts';
import { mirrorAsset } from '../assets/tasks.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { openAssetSource } from './asset-source.ts';
import { runSynced } from './sync/run-synced.ts';
import { createSessions, mirrorRoot } from './sync/session.ts';
import { syncContent } from './sync/sync-content.ts';
import { syncEntities } from './sync/sync-entities.ts';
import { trackerSyncContent, trackerSyncIncremental } from './tasks.ts';

/** Parts of the provider's limits that a run of everything leaves to edits. */
const contentReserve = 0.2;

export function trackerJobs(deps: ConnectorJobsDeps): FeatureJobs {
  const sessions = createSessions(deps);
  const pauses = new HostPauses(deps.clock);
  return {
    handlers: [
      handleBatch(trackerSyncIncremental, (jobs, context) => {
        const payloads = jobs.map(({ payload }) => payload);
        return runSynced(
          deps,
          sessions,
          { task: trackerSyncIncremental, payloads, reserve: 0 },
          context,
          (session) => syncEntities(deps, session, jobs, context),
        );
      }),
      handle(trackerSyncContent, (payload, context) => {
        const run = { task: trackerSyncContent, payloads: [payload], reserve: contentReserve };
        return runSynced(deps, sessions, run, context, (session) =>
          syncContent(deps, session, payload, context),
        );
      }),
      handle(mirrorAsset, (payload, context) => {
        const { database, http } = deps;
        const open = (id: ConnectionId) => openAssetSource(deps, id);
        return mirrorAssetFile({ database, http, pauses, root: mirrorRoot, open }, payload, context);
      }),
    ],
  };
}
