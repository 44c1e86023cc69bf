import type { Selectable } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import type { ConnectionId, OrganizationId, RepositoryId } from '../../../foundation/kernel/ids.ts';
import { followsBranch, type Repository } from '../repository.ts';
import { toRepository } from '../repository-row.ts';
import { syncWithin } from '../sync-repository.ts';
import type { RepositoryRow } from '../tables.ts';

/** A change at a Git host, as a webhook reports it. */
export interface HostedChange {
  readonly organizationId: OrganizationId;
  readonly githostConnectionId: ConnectionId;
  readonly hostRepositoryId: string;
  /** The branch that moved; `undefined` if something else about the repository changed. */
  readonly branch: string | undefined;
  /** The source of the repositories that `syncPushed` has synced, because this service itself pushed the change. */
  readonly syncedSource?: string | undefined;
}

/**
 * Starts a sync of each repository that follows what changed. One that is being fetched is fetched again afterwards.
 * Returns their number.
 */
export async function syncChanged(tx: Queries, change: HostedChange, now: number): Promise<number> {
  const rows = await repositoriesOf(tx, change.organizationId)
    .where('githost_connection_id', '=', change.githostConnectionId)
    .where('host_repository_id', '=', change.hostRepositoryId)
    .where('source', '!=', change.syncedSource ?? '')
    .execute();
  return syncFollowing(tx, rows, change, now);
}

/** Starts a sync of each repository of a Git-host connection that could not be read, without waiting for its next check. */
export async function syncWaiting(
  tx: Queries,
  { id, organizationId }: { readonly id: ConnectionId; readonly organizationId: OrganizationId },
  now: number,
): Promise<void> {
  const rows = await repositoriesOf(tx, organizationId)
    .where('githost_connection_id', '=', id)
    .where('error', 'is not', null)
    .execute();
  await syncFollowing(tx, rows, { organizationId, branch: undefined }, now);
}

/** A commit that this service itself pushed. */
export interface OwnPush {
  readonly organizationId: OrganizationId;
  /** The address of the repository, as repositories store it. */
  readonly source: string;
  readonly branch: string;
}

/** Starts a sync of each repository that follows a branch which this service pushed to. Returns their number. */
export async function syncPushed(tx: Queries, push: OwnPush, now: number): Promise<number> {
  const rows = await repositoriesOf(tx, push.organizationId).where('source', '=', push.source).execute();
  return syncFollowing(tx, rows, push, now);
}

function repositoriesOf(tx: Queries, organizationId: OrganizationId) {
  return tx
    .selectFrom('repositories')
    .innerJoin('organizations', 'organizations.id', 'repositories.organization_id')
    .selectAll('repositories')
    .select('organizations.slug as org_slug')
    .where('repositories.organization_id', '=', organizationId)
    .where('state', '!=', 'removing')
    .orderBy('repositories.id');
}

async function syncFollowing(
  tx: Queries,
  rows: readonly (Selectable<RepositoryRow> & { readonly org_slug: string })[],
  {
    organizationId,
    branch,
  }: { readonly organizationId: OrganizationId; readonly branch: string | undefined },
  now: number,
): Promise<number> {
  const following = rows.filter((row) => follows(toRepository(row), branch));
  for (const { id, org_slug: orgSlug } of following) {
    await syncWithin(tx, { organizationId, orgSlug }, id as RepositoryId, now);
  }
  return following.length;
}

function follows(repository: Repository, moved: string | undefined): boolean {
  if (moved === undefined || followsBranch(repository, moved)) return true;
  // It may be the default branch, whose name is unknown until the first index.
  return repository.branch === undefined && repository.indexedBranches.length === 0;
}
