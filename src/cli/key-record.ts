import { z } from 'zod';
import { NotFound } from '../foundation/kernel/errors.ts';
import type { ApiClient } from './api-client.ts';
import { findEntry, type RemoteList } from './remote-page.ts';

export const keyRecord = z.looseObject({
  id: z.string(),
  prefix: z.string(),
  name: z.string(),
  organization: z.looseObject({ slug: z.string() }).nullish(),
  lastUsedAt: z.string().nullish(),
  expiresAt: z.string().nullish(),
});

export type KeyRecord = z.output<typeof keyRecord>;

export const keyList: RemoteList<KeyRecord> = {
  path: '/api-keys',
  item: keyRecord,
  cells: ({ id, prefix, name, organization, lastUsedAt, expiresAt }) => [
    id,
    `${prefix}…`,
    name,
    organization ? `opens ${organization.slug}` : 'opens all of yours',
    lastUsedAt ? `used ${lastUsedAt}` : 'never used',
    expiresAt ? `until ${expiresAt}` : '',
  ],
  none: 'You have no API key. Make one: orgctx key add --name <name>',
};

/** By id, or by the first characters that lists show. @throws NotFound */
export async function findKey(api: ApiClient, idOrPrefix: string): Promise<KeyRecord> {
  const prefix = idOrPrefix.replace(/…$/, '');
  const found = await findEntry(api, keyList, (key) => key.id === idOrPrefix || key.prefix === prefix);
  if (found !== undefined) return found;
  // What was typed may be a whole key, so it is not repeated.
  throw new NotFound('You have no API key with this id or prefix. See: orgctx key list');
}
