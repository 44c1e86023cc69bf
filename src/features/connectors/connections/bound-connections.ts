import type { Queries } from '../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

/** A branch of a repository at a Git host. */
export interface HostedBranch {
  readonly githostConnectionId: string;
  /** The host's own id. */
  readonly hostRepositoryId: string;
  readonly branch: string;
}

/**
 * Lists the connections that mirror into a branch. A connection whose configuration was never merged mirrors nothing
 * yet, and is not among them.
 */
export async function listBoundConnections(
  queries: Queries,
  { organizationId }: OrgScope,
  { githostConnectionId, hostRepositoryId, branch }: HostedBranch,
): Promise<readonly { readonly id: ConnectionId; readonly kind: string }[]> {
  const rows = await queries
    .selectFrom('connections')
    .select(['id', 'kind'])
    .where('organization_id', '=', organizationId)
    .where('githost_connection_id', '=', githostConnectionId)
    .where('host_repository_id', '=', hostRepositoryId)
    .where('branch', '=', branch)
    .where('state', 'in', ['connected', 'degraded', 'disconnected'])
    .orderBy('id')
    .execute();
  return rows.map(({ id, kind }) => ({ id: id as ConnectionId, kind }));
}
