import { z } from 'zod';
import type { RemoteList } from './remote-page.ts';

const grantRecord = z.looseObject({
  id: z.string(),
  client: z.looseObject({ id: z.string(), name: z.string() }),
  organization: z.looseObject({ slug: z.string() }).nullish(),
  scopes: z.array(z.string()),
  lastUsedAt: z.string().nullish(),
});

export const grantList: RemoteList<z.output<typeof grantRecord>> = {
  path: '/grants',
  item: grantRecord,
  cells: ({ id, client, organization, scopes, lastUsedAt }) => [
    id,
    client.name,
    organization ? organization.slug : 'no organization',
    scopes.join(' '),
    lastUsedAt ? `used ${lastUsedAt}` : 'never used',
  ],
  none: 'No client acts for you by OAuth.',
};
