import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { openHostPauses, type UploadsAccess } from '../assets/fetch-asset.ts';
import { type AssetSource, mirrorAssetFile } from '../assets/mirror-asset.ts';
import { mirrorAsset } from '../assets/tasks.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { syncHandlers } from '../sync/sync-jobs.ts';
import { trackerConfigurationShape } from './configuration.ts';
import { trackerRecords } from './kinds/kinds.ts';
import { uploadsOriginOf } from './settings.ts';
import { trackerOpener } from './sync/tracker-source.ts';
import { trackerTasks } from './tasks.ts';

export function trackerJobs(deps: ConnectorJobsDeps): FeatureJobs {
  const { database, http } = deps;
  const open = (id: ConnectionId) => openAssetSource(deps, id);
  const assets = { database, http, pauses: openHostPauses(deps.clock), records: trackerRecords, open };
  return {
    handlers: [
      ...syncHandlers(deps, trackerTasks, trackerRecords, trackerOpener(deps)),
      handle(mirrorAsset, (payload, context) => mirrorAssetFile(assets, payload, context)),
    ],
  };
}

/**
 * Returns what the copies of a connection need; `undefined` for one that mirrors nothing now.
 * @internal Tests open one alone.
 */
export async function openAssetSource(
  { values, open }: Pick<ConnectorJobsDeps, 'values' | 'open'>,
  id: ConnectionId,
): Promise<AssetSource | undefined> {
  const connection = await open(id);
  if (connection === undefined) return undefined;
  const { assets } = trackerConfigurationShape.parse(connection.configuration);
  const { maxBytes, maxTotalBytes, allowTypes } = assets;
  const accessToken: UploadsAccess['accessToken'] = (signal, refused) =>
    connection.accessToken(signal, refused);
  const uploads = { origin: uploadsOriginOf(values), accessToken };
  return { uploads, maxBytes, maxTotalBytes, allowTypes };
}
