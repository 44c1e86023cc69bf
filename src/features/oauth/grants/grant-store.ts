import type { Queries } from '../../../foundation/db/database.ts';
import type { OauthGrantRow } from '../../../foundation/db/tables.ts';
import type { GrantId, OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/page.ts';
import type { StoredPayload } from '../provider/object-store.ts';

export async function insertGrant(queries: Queries, row: OauthGrantRow): Promise<void> {
  await queries.insertInto('oauth_grants').values(row).execute();
}

/**
 * The library's Grant, made of its row: there is no second record that could say otherwise. Every scope holds at both
 * resources. `undefined` for one that is unknown, revoked or expired.
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

/** A grant lives as long as what was issued last under it. */
export async function prolongGrant(queries: Queries, id: string, expiresAt: number): Promise<void> {
  await queries
    .updateTable('oauth_grants')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where('expires_at', '<', expiresAt)
    .execute();
}

/** A client that a user has let in, as its user sees it. Times are ms since the epoch. */
export interface GrantSummary {
  readonly id: GrantId;
  /** The name as the consent page showed it. */
  readonly client: { readonly id: string; readonly name: string };
  /** `undefined` when its organization is gone, or its user is no longer a member: such a grant lets nobody in. */
  readonly organization: { readonly slug: string; readonly name: string } | undefined;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number;
}

export interface GrantPageRequest extends PageRequest {
  /** Those bound to this organization alone: for callers who are bound to it themselves. */
  readonly organizationId?: OrganizationId | undefined;
}

/**
 * One page of the grants of a user that still hold, oldest first.
 * @throws InvalidInput for a bad limit or cursor
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
    // Through the membership: who was removed is to learn nothing more of the organization, not even its name.
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

/** What `revokeGrantsOf` ends: all grants of a user, those in one organization, or one. */
export interface GrantsOf {
  readonly userId: UserId;
  readonly organizationId?: OrganizationId | undefined;
  readonly id?: string;
}

/** A grant that was ended, for the audit log. */
export interface RevokedGrant {
  readonly id: GrantId;
  /** `undefined`: it is gone. */
  readonly organizationId: OrganizationId | undefined;
  readonly clientId: string;
  readonly clientName: string;
}

/**
 * Ends grants that still hold, with every token and code of theirs. Every request looks at the row, so none gets in
 * once the transaction has ended. Returns those that were ended.
 */
export async function revokeGrantsOf(
  tx: Queries,
  of: GrantsOf,
  now: number,
): Promise<readonly RevokedGrant[]> {
  let update = tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('user_id', '=', of.userId)
    .where('revoked_at', 'is', null);
  if (of.organizationId !== undefined) update = update.where('organization_id', '=', of.organizationId);
  if (of.id !== undefined) update = update.where('id', '=', of.id);
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

/** Whose grant it is; `undefined` for one that is unknown. */
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
  // A statement takes a limited number of parameters.
  for (let first = 0; first < grantIds.length; first += 500) {
    await tx
      .deleteFrom('oauth_objects')
      .where('grant_id', 'in', grantIds.slice(first, first + 500))
      .execute();
  }
}
