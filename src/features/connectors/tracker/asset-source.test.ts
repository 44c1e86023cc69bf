import { expect, it } from 'vitest';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { SyncedConnection } from '../port.ts';
import { trackerConfigurationShape } from './configuration.ts';
import { openAssetSource } from './jobs.ts';

const open = async (assets?: object) =>
  openAssetSource(
    {
      values: { TRACKER_UPLOADS_URL: 'https://uploads.example/files/' },
      open: (id) =>
        Promise.resolve({
          id,
          configuration: trackerConfigurationShape.parse({ scope: { teams: ['*'] }, assets }),
          accessToken: () => Promise.resolve('token'),
        } as unknown as SyncedConnection),
    },
    'c-1' as ConnectionId,
  );

it('limits assets to 25 MiB each and 100 MiB per entity, and sends tokens to the origin of the setting alone', async () => {
  expect(await open()).toMatchObject({
    maxBytes: 25 * 1024 ** 2,
    maxTotalBytes: 100 * 1024 ** 2,
    uploads: { origin: 'https://uploads.example' },
  });
});

it('takes lower limits from the configuration, and no higher ones', async () => {
  expect(await open({ maxBytes: 10, maxTotalBytes: 20 })).toMatchObject({ maxBytes: 10, maxTotalBytes: 20 });
  await expect(open({ maxBytes: 25 * 1024 ** 2 + 1 })).rejects.toThrow();
  await expect(open({ maxTotalBytes: 100 * 1024 ** 2 + 1 })).rejects.toThrow();
});
