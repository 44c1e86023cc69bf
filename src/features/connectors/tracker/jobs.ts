import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { HostPauses } from '../assets/fetch-asset.ts';
import { mirrorAssetFile } from '../assets/mirror-asset.ts';
import { mirrorAsset } from '../assets/tasks.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { syncHandlers } from '../sync/sync-jobs.ts';
import { openAssetSource } from './asset-source.ts';
import { trackerRecords } from './kinds/records.ts';
import { trackerSource } from './sync/tracker-source.ts';

export function trackerJobs(deps: ConnectorJobsDeps): FeatureJobs {
  const { database, http } = deps;
  const open = (id: ConnectionId) => openAssetSource(deps, id);
  const assets = { database, http, pauses: new HostPauses(deps.clock), records: trackerRecords, open };
  return {
    handlers: [
      ...syncHandlers(deps, trackerSource(deps)),
      handle(mirrorAsset, (payload, context) => mirrorAssetFile(assets, payload, context)),
    ],
  };
}
