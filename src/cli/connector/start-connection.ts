import { UsageError } from '../frame/usage-error.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { readPage } from '../remote/remote-page.ts';
import {
  connectionList,
  findConnection,
  type RemoteConnection,
  remoteConnection,
} from './remote-connection.ts';

/** Creates a draft. @throws Conflict if the name is in use */
export function createConnection(
  api: ApiClient,
  kind: string,
  name: string | undefined,
): Promise<RemoteConnection> {
  return api.call({ method: 'POST', path: '/connections', body: { kind, name } }, remoteConnection);
}

/** Returns a connection of the given kind to go on with. @throws UsageError if it is of another kind */
export async function resumedConnection(
  api: ApiClient,
  kind: string,
  nameOrId: string,
): Promise<RemoteConnection> {
  const found = await findConnection(api, nameOrId);
  if (found.kind !== kind) throw new UsageError(`The connection ${found.name} is of the kind ${found.kind}.`);
  return found;
}

/** Returns the connections of a kind whose setup has not ended. */
export async function unfinishedConnections(
  api: ApiClient,
  kind: string,
): Promise<readonly RemoteConnection[]> {
  const found: RemoteConnection[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readPage<RemoteConnection>>> = await readPage(api, connectionList, {
      limit: 200,
      cursor: cursor ?? undefined,
    });
    found.push(...page.items.filter((each) => each.kind === kind && isUnfinished(each)));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

function isUnfinished({ state }: RemoteConnection): boolean {
  return ['draft', 'authorized', 'awaiting_merge', 'disconnected'].includes(state);
}
