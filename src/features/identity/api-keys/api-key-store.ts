import type { ExpressionBuilder } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { preparedQuery } from '../../../foundation/db/prepared-query.ts';
import type { ApiKeyRow, Tables } from '../../../foundation/db/tables.ts';
import type { ApiKeyId, OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/page.ts';
import type { Role } from '../access/principal.ts';
import type { Membership } from '../people/membership-store.ts';
import type { ApiKey } from './api-key.ts';

/** Last use is for people to find forgotten keys: a minute is exact enough, and most requests write nothing. */
const lastUsePrecisionMs = 60_000;

/** A stored key together with its user, as `authenticate` needs it. */
export interface KeyHolder {
  readonly apiKeyId: ApiKeyId;
  readonly userId: UserId;
  readonly email: string;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly revoked: boolean;
  readonly userDisabled: boolean;
  /** The one that the key opens; `undefined` opens every organization of its user. */
  readonly organizationId: OrganizationId | undefined;
  /** In the organization that was named. */
  readonly membership: Membership | undefined;
}

/** The key as its owner sees it. */
export async function insertApiKey(queries: Queries, row: ApiKeyRow): Promise<ApiKey> {
  await queries.insertInto('api_keys').values(row).execute();
  return toApiKey(await describedKeys(queries).where('id', '=', row.id).executeTakeFirstOrThrow());
}

/**
 * Look-ups by key inside one statement, not a join: a join is planned anew by SQLite whenever a parameter changes,
 * which takes several times what running it does.
 */
const keyByHash = preparedQuery(['hash', 'slug'], (queries, { hash, slug }) =>
  queries
    .selectFrom('api_keys as k')
    .where('k.hash', '=', hash)
    .select([
      'k.id',
      'k.user_id',
      'k.organization_id as bound_to',
      'k.expires_at',
      'k.last_used_at',
      'k.revoked_at',
    ])
    .select((e) => {
      const user = e.selectFrom('users as u').whereRef('u.id', '=', 'k.user_id');
      const organization = e.selectFrom('organizations as o').where('o.slug', '=', slug).select('o.id');
      const membership = e
        .selectFrom('memberships as m')
        .where('m.organization_id', '=', organization)
        .whereRef('m.user_id', '=', 'k.user_id')
        // Of a key that opens one organization alone.
        .where('m.organization_id', '=', (w) => w.fn.coalesce('k.organization_id', 'm.organization_id'));
      return [
        user.select('u.email').as('email'),
        user.select('u.disabled_at').as('disabled_at'),
        membership.select('m.organization_id').as('organization_id'),
        membership.select('m.role').as('role'),
      ];
    }),
);

/**
 * An API key with its user and the user's membership in the organization named by `orgSlug`: the one look of every
 * request, never cached, so that revocation and removal are immediate.
 */
export async function findKeyHolder(
  queries: Queries,
  hash: string,
  orgSlug: string | undefined,
): Promise<KeyHolder | undefined> {
  const slug = orgSlug ?? '';
  const [row] = await keyByHash(queries, { hash, slug });
  // A key goes with its user (on delete cascade), so the user is always there.
  if (row === undefined || row.email === null) return undefined;
  return {
    apiKeyId: row.id as ApiKeyId,
    userId: row.user_id as UserId,
    email: row.email,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revoked: row.revoked_at !== null,
    userDisabled: row.disabled_at !== null,
    organizationId: (row.bound_to ?? undefined) as OrganizationId | undefined,
    membership: membershipOf(row, slug),
  };
}

function membershipOf(
  row: { readonly organization_id: string | null; readonly role: Role | null },
  orgSlug: string,
): Membership | undefined {
  if (row.organization_id === null || row.role === null) return undefined;
  return { scope: { organizationId: row.organization_id as OrganizationId, orgSlug }, role: row.role };
}

/** Notes that a key was used, at most once a minute. */
export async function touchApiKey(queries: Queries, holder: KeyHolder, now: number): Promise<void> {
  const stale = now - lastUsePrecisionMs;
  if (holder.lastUsedAt !== undefined && holder.lastUsedAt > stale) return;
  await queries
    .updateTable('api_keys')
    .set({ last_used_at: now })
    .where('id', '=', holder.apiKeyId)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', stale)]))
    .execute();
}

/** True when there is such a key; revoking one twice keeps the first time. */
export async function revokeApiKey(queries: Queries, id: string, now: number): Promise<boolean> {
  const found = await queries.selectFrom('api_keys').select('id').where('id', '=', id).executeTakeFirst();
  if (found === undefined) return false;
  await queries
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
  return true;
}

/** Whose keys: all of a user's, or those that open one organization alone. */
export interface KeysOf {
  readonly userId: UserId;
  readonly organizationId?: OrganizationId | undefined;
  /** Beside those of that organization the ones that open every organization of the user. */
  readonly unboundToo?: boolean;
}

/** Those that are not revoked. */
function liveKeys({ userId, organizationId, unboundToo = false }: KeysOf) {
  return (e: ExpressionBuilder<Tables, 'api_keys'>) => {
    const live = e.and([e('user_id', '=', userId), e('revoked_at', 'is', null)]);
    if (organizationId === undefined) return live;
    const bound = e('organization_id', '=', organizationId);
    return live.and(unboundToo ? bound.or('organization_id', 'is', null) : bound);
  };
}

function describedKeys(queries: Queries) {
  return queries.selectFrom('api_keys').selectAll().select(organizationSlug);
}

function organizationSlug(e: ExpressionBuilder<Tables, 'api_keys'>) {
  return e
    .selectFrom('organizations')
    .whereRef('organizations.id', '=', 'api_keys.organization_id')
    .select('organizations.slug')
    .as('organization_slug');
}

/** The user's keys that are not revoked, oldest first. @throws InvalidInput for a bad limit or cursor */
export async function listApiKeys(
  queries: Queries,
  keys: KeysOf,
  request: PageRequest = {},
): Promise<Page<ApiKey>> {
  const { limit, after } = startAfter(request);
  let query = describedKeys(queries)
    .where(liveKeys(keys))
    .orderBy('id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('id', '>', after);
  return pageOf((await query.execute()).map(toApiKey), limit);
}

/** Ends one of these keys that still holds, and gives what it was. */
export async function endApiKey(
  tx: Queries,
  keys: KeysOf,
  id: string,
  now: number,
): Promise<Pick<ApiKey, 'name'> | undefined> {
  return tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where(liveKeys(keys))
    .returning('name')
    .executeTakeFirst();
}

/** Ends these keys, and says how many. */
export async function endApiKeys(tx: Queries, keys: KeysOf, now: number): Promise<number> {
  const result = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where(liveKeys(keys))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

export async function countApiKeys(queries: Queries, userId: UserId): Promise<number> {
  const { count } = await queries
    .selectFrom('api_keys')
    .where(liveKeys({ userId }))
    .select((e) => e.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function toApiKey(row: ApiKeyRow & { readonly organization_slug: string | null }): ApiKey {
  return {
    id: row.id as ApiKeyId,
    prefix: row.prefix,
    name: row.name,
    organization: row.organization_slug === null ? undefined : { slug: row.organization_slug },
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
  };
}

/** Whether the user has a key that counts now. */
export async function hasLiveApiKey(queries: Queries, userId: UserId, now: number): Promise<boolean> {
  const row = await queries
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
