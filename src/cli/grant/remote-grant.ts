import type { z } from 'zod';
import { grantRecord } from '../../features/oauth/grants/grant-record.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { ageOfTime } from '../frame/lists/age.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { findEntry, type RemoteList } from '../remote/remote-page.ts';
import { tolerant } from '../remote/tolerant.ts';

const remoteGrant = tolerant(
  grantRecord.pick({ id: true, client: true, organization: true, scopes: true, lastUsedAt: true }),
);

type RemoteGrant = z.output<typeof remoteGrant>;

export const grantList: RemoteList<RemoteGrant> = {
  path: '/grants',
  item: remoteGrant,
  plural: 'grants',
  idOf: ({ id }) => id,
  labelOf: ({ client }) => client.name,
  columns: (shortId) => [
    { title: 'CLIENT', cell: ({ client }) => client.name, shrinks: 2 },
    { title: 'ORGANIZATION', cell: ({ organization }) => organization?.slug ?? 'none' },
    { title: 'USED', cell: ({ lastUsedAt }) => ageOfTime(lastUsedAt, 'never') },
    { title: 'SCOPES', cell: ({ scopes }) => scopes.join(' '), shrinks: 1 },
    { title: 'ID', cell: shortId },
  ],
  none: 'No client acts for you by OAuth. "orgctx mcp config" prints how to connect one; it then signs in by itself.',
};

/**
 * Returns the grant with this id or start of an id.
 * @throws NotFound
 */
export async function findGrant(api: ApiClient, id: string): Promise<RemoteGrant> {
  const found = await findEntry(api, grantList, id);
  if (found !== undefined) return found;
  throw new NotFound(`You have no grant "${id}". Run "orgctx grant list" to see yours.`);
}
