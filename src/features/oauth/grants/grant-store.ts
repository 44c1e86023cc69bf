import type { Queries } from '../../../foundation/db/database.ts';
import type { GrantId, OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/wire/page.ts';
import type { StoredPayload } from '../provider/object-store.ts';
import type { OauthGrantRow } from '../tables.ts';

export async function insertGrant(queries: Queries, row: OauthGrantRow): Promise<void> {
  await queries.insertInto('oauth_grants').values(row).execute();
}

/**
 * Builds the library's Grant from the row, so that there is no second record that could contradict it. Every scope
 * applies to both resources. Returns `undefined` for a grant that is unknown, revoked or expired.
 */
export async function findGrantPayload(
  queries: Queries,
  id: string,
  { resources, now }: { readonly resources: readonly string[]; readonly now: number },
): Promise<StoredPayload | undefined> {
  const row = await queries
    .selectFrom('oauth_grants')
    .select(['user_id', 'client_id', 'scopes', 'expires_at', 'created_at'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    jti: id,
    kind: 'Grant',
    accountId: row.user_id,
    clientId: row.client_id,
    openid: { scope: row.scopes },
    resources: Object.fromEntries(resources.map((resource) => [resource, row.scopes])),
    iat: Math.floor(row.created_at / 1000),
    exp: Math.floor(row.expires_at / 1000),
  };
}

/** Returns whether any user has a live grant of the client. */
export async function hasLiveGrant(queries: Queries, clientId: string, now: number): Promise<boolean> {
  const grant = await queries
    .selectFrom('oauth_grants')
    .select('id')
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  return grant !== undefined;
}

/** Extends a grant to the expiry of the token that was issued last under it. */
export async function prolongGrant(queries: Queries, id: string, expiresAt: number): Promise<void> {
  await queries
    .updateTable('oauth_grants')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where('expires_at', '<', expiresAt)
    .execute();
}

/** A grant as its user sees it. Times are in milliseconds since the epoch. */
export interface GrantSummary {
  readonly id: GrantId;
  /** The client, with the name that the consent page showed. */
  readonly client: { readonly id: string; readonly name: string };
  /** `undefined` if the organization was deleted or the user is no longer a member; the grant then gives no access. */
  readonly organization: { readonly slug: string; readonly name: string } | undefined;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number;
}

/** Returns the client's name and the expiry of a grant; `undefined` if it does not exist. */
export async function describeGrant(
  queries: Queries,
  grantId: string,
): Promise<{ readonly clientName: string; readonly expiresAt: number } | undefined> {
  const grant = await queries
    .selectFrom('oauth_grants')
    .where('id', '=', grantId)
    .select(['client_name', 'expires_at'])
    .executeTakeFirst();
  return grant && { clientName: grant.client_name, expiresAt: grant.expires_at };
}

export interface GrantPageRequest extends PageRequest {
  /** Lists only grants bound to this organization, for callers who are bound to it themselves. Default: all grants. */
  readonly organizationId?: OrganizationId | undefined;
}

/**
 * Lists one page of a user's active grants, oldest first.
 * @throws InvalidInput for an invalid limit or cursor
 */
export async function listGrants(
  queries: Queries,
  userId: UserId,
  page: GrantPageRequest,
  now: number,
): Promise<Page<GrantSummary>> {
  const { limit, after } = startAfter(page);
  let query = queries
    .selectFrom('oauth_grants as g')
    // Joined through the membership, so that a removed member no longer sees the organization, not even its name.
    .leftJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'g.organization_id').onRef('m.user_id', '=', 'g.user_id'),
    )
    .leftJoin('organizations as o', 'o.id', 'm.organization_id')
    .where('g.user_id', '=', userId)
    .where('g.revoked_at', 'is', null)
    .where('g.expires_at', '>', now)
    .select([
      'g.id',
      'g.client_id',
      'g.client_name',
      'g.scopes',
      'g.created_at',
      'g.last_used_at',
      'g.expires_at',
    ])
    .select(['o.slug', 'o.name'])
    .orderBy('g.id');
  if (after !== undefined) query = query.where('g.id', '>', after);
  const { organizationId } = page;
  if (organizationId !== undefined) query = query.where('g.organization_id', '=', organizationId);
  const rows = await query.limit(limit + 1).execute();
  return pageOf(rows.map(toSummary), limit);
}

function toSummary(row: {
  id: string;
  client_id: string;
  client_name: string;
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number;
  slug: string | null;
  name: string | null;
}): GrantSummary {
  return {
    id: row.id as GrantId,
    client: { id: row.client_id, name: row.client_name },
    organization: row.slug === null ? undefined : { slug: row.slug, name: row.name ?? row.slug },
    scopes: row.scopes.split(' ').filter((scope) => scope !== ''),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at,
  };
}

/** Selects the grants that `revokeGrantsOf` revokes: all grants of a user, those in one organization, or one. */
export interface GrantFilter {
  readonly userId: UserId;
  readonly organizationId?: OrganizationId | undefined;
  readonly id?: string;
}

/** A grant that was revoked, for the audit log. */
export interface RevokedGrant {
  readonly id: GrantId;
  /** `undefined` if the organization was deleted. */
  readonly organizationId: OrganizationId | undefined;
  readonly clientId: string;
  readonly clientName: string;
}

/**
 * Revokes active grants and deletes all their tokens and codes. Every request reads the row, so access ends as soon as
 * the transaction commits. Returns the revoked grants.
 */
export async function revokeGrantsOf(
  tx: Queries,
  filter: GrantFilter,
  now: number,
): Promise<readonly RevokedGrant[]> {
  let update = tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('user_id', '=', filter.userId)
    .where('revoked_at', 'is', null);
  if (filter.organizationId !== undefined) {
    update = update.where('organization_id', '=', filter.organizationId);
  }
  if (filter.id !== undefined) update = update.where('id', '=', filter.id);
  const rows = await update.returning(['id', 'organization_id', 'client_id', 'client_name']).execute();
  await deleteObjectsOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id as GrantId,
    organizationId: (row.organization_id ?? undefined) as OrganizationId | undefined,
    clientId: row.client_id,
    clientName: row.client_name,
  }));
}

/** Finds the user of a grant; `undefined` if the grant is unknown. */
export async function findGrantUser(
  queries: Queries,
  id: string,
): Promise<{ readonly userId: UserId; readonly email: string } | undefined> {
  const row = await queries
    .selectFrom('oauth_grants as g')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .select(['u.id', 'u.email'])
    .where('g.id', '=', id)
    .executeTakeFirst();
  return row && { userId: row.id as UserId, email: row.email };
}

async function deleteObjectsOf(tx: Queries, grantIds: readonly string[]): Promise<void> {
  // In batches, because the number of parameters of a statement is limited.
  for (let first = 0; first < grantIds.length; first += 500) {
    await tx
      .deleteFrom('oauth_objects')
      .where('grant_id', 'in', grantIds.slice(first, first + 500))
      .execute();
  }
}
