import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';

import { isReadable } from './is-readable.ts';

/** Returns the searchable repository with this id at its Git host, if the organization has it. */
export async function findHostedRepository(
  queries: Queries,
  scope: OrgScope,
  at: { readonly githostConnectionId: string; readonly hostRepositoryId: string },
): Promise<RepositoryId | undefined> {
  const row = await queries
    .selectFrom('repositories')
    .select('id')
    .where(isReadable(scope))
    .where('githost_connection_id', '=', at.githostConnectionId)
    .where('host_repository_id', '=', at.hostRepositoryId)
    .where('indexed_commit', 'is not', null)
    .where('state', '!=', 'removing')
    .orderBy('id')
    .executeTakeFirst();
  return row && (row.id as RepositoryId);
}
