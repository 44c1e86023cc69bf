import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { removeSecrets } from '../../../foundation/secrets/secret-store.ts';
import { deleteConnection, noSuchConnection } from './connection-store.ts';
import type { ConnectionsDeps } from './connections-deps.ts';

/**
 * Deletes a connection and its secrets, both or neither. Jobs that wait for it find nothing and end; mirrored files
 * stay. The row goes first: whoever saves secrets meanwhile holds it, and finds none afterwards.
 * @throws NotFound, alike for unknown and foreign ids.
 */
export async function removeConnection(
  { database }: Pick<ConnectionsDeps, 'database'>,
  scope: OrgScope,
  id: ConnectionId,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteConnection(tx, scope, id))) throw noSuchConnection();
    await removeSecrets(tx, id);
  });
}
