import type { z } from 'zod';
import { apiKeyRecord, newApiKeyRecord } from '../../features/identity/api-keys/api-key-record.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { ageOfTime } from '../frame/lists/age.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { findEntry, type RemoteList } from '../remote/remote-page.ts';
import { tolerant } from '../remote/tolerant.ts';

const fields = {
  id: true,
  prefix: true,
  name: true,
  organization: true,
  repositories: true,
  lastUsedAt: true,
  expiresAt: true,
} as const;

const remoteKey = tolerant(apiKeyRecord.pick(fields));

export const newKey = tolerant(newApiKeyRecord.pick({ ...fields, apiKey: true }));

export type RemoteKey = z.output<typeof remoteKey>;

export const keyList: RemoteList<RemoteKey> = {
  path: '/api-keys',
  item: remoteKey,
  plural: 'keys',
  idOf: ({ id }) => id,
  labelOf: ({ name }) => name,
  // The prefix also selects a key, so that its id is not shown.
  columns: () => [
    { title: 'NAME', cell: ({ name }) => name, shrinks: 1 },
    { title: 'KEY', cell: ({ prefix }) => `${prefix}…` },
    { title: 'ORGANIZATION', cell: ({ organization }) => organization?.slug ?? 'any of yours' },
    {
      title: 'READS',
      cell: ({ repositories }) =>
        repositories == null ? 'everything' : counted(repositories.length, 'repository', 'repositories'),
    },
    { title: 'USED', cell: ({ lastUsedAt }) => ageOfTime(lastUsedAt, 'never') },
    { title: 'EXPIRES', cell: ({ expiresAt }) => ageOfTime(expiresAt, 'never') },
  ],
  none: 'You have no API key. Make one: "orgctx key add --name <name>".',
};

/**
 * Returns the API key with this id, start of an id or prefix (the first characters, which lists show).
 * @throws NotFound
 */
export async function findKey(api: ApiClient, idOrPrefix: string): Promise<RemoteKey> {
  const prefix = idOrPrefix.replace(/…$/, '');
  const found = await findEntry(api, keyList, idOrPrefix, (key) => key.prefix === prefix);
  if (found !== undefined) return found;
  // The argument may be a whole key, so the message does not repeat it.
  throw new NotFound('You have no API key with this id or prefix. Run "orgctx key list" to see yours.');
}
