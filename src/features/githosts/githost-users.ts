import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import type { LeftRepository } from './tasks.ts';

/**
 * Returns the names of the repositories and the addresses of the context repositories that use a connection, at most
 * 6 of each. Plain SQL: these tables belong to features that import this one.
 */
export async function usersOfGithost(
  queries: Queries,
  { organizationId }: DataScope,
  id: ConnectionId,
): Promise<readonly string[]> {
  const usersIn = async (named: RawBuilder<{ user: string }>): Promise<readonly string[]> => {
    const { rows } = await named.execute(queries);
    return rows.map(({ user }) => user);
  };
  return [
    ...(await usersIn(
      sql`select name as "user" from repositories where organization_id = ${organizationId}
        and githost_connection_id = ${id} order by name limit 6`,
    )),
    ...(await usersIn(
      sql`select source as "user" from mirror_targets where organization_id = ${organizationId}
        and githost_connection_id = ${id} order by source limit 6`,
    )),
  ];
}

/** Returns whether a repository that stays, or the connection that had left it, needs the pushes of a repository. */
export async function isFollowed(
  queries: Queries,
  { organizationId, githostConnectionId, hostRepositoryId, leaverId }: LeftRepository,
): Promise<boolean> {
  const follower =
    leaverId === undefined
      ? sql`repositories where state <> 'removing'`
      : sql`connections where id = ${leaverId}`;
  const { rows } = await sql`select id from ${follower} and organization_id = ${organizationId}
    and githost_connection_id = ${githostConnectionId} and host_repository_id = ${hostRepositoryId} limit 1`.execute(
    queries,
  );
  return rows.length > 0;
}
