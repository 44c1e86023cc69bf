import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { AssetSource } from '../assets/mirror-asset.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { trackerConfigurationShape } from './configuration.ts';
import { providerUrl } from './oauth/provider-urls.ts';

/** Returns what the copies of a connection need; `undefined` for one that mirrors nothing now. */
export async function openAssetSource(
  { values, open }: Pick<ConnectorJobsDeps, 'values' | 'open'>,
  id: ConnectionId,
): Promise<AssetSource | undefined> {
  const connection = await open(id);
  if (connection === undefined) return undefined;
  const { assets } = trackerConfigurationShape.parse(connection.configuration);
  const { maxBytes, maxTotalBytes, allowTypes } = assets;
  return {
    uploads: {
      origin: new URL(providerUrl(values, 'TRACKER_UPLOADS_URL')).origin,
      accessToken: (signal, refused) => connection.accessToken(signal, refused),
    },
    maxBytes,
    maxTotalBytes,
    allowTypes,
  };
}
