import type { ExpressionBuilder } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { preparedQuery } from '../../../foundation/db/prepared-query.ts';
import type { Tables } from '../../../foundation/db/tables.ts';
import type { ApiKeyId, OrganizationId, RepositoryId, UserId } from '../../../foundation/kernel/ids.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/wire/page.ts';
import type { Role } from '../access/principal.ts';
import type { Membership } from '../people/membership-store.ts';
import type { ApiKeyRow } from '../tables.ts';
import type { ApiKey } from './api-key.ts';

/**
 * Precision of the last use, in milliseconds. Users only need it to find forgotten keys, and most requests then write
 * nothing.
 */
const lastUsePrecisionMs = 60_000;

/** A stored key with its user, for `authenticate`. */
export interface KeyHolder {
  readonly apiKeyId: ApiKeyId;
  readonly userId: UserId;
  readonly email: string;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly revoked: boolean;
  readonly userDisabled: boolean;
  /** The only organization that the key opens; `undefined` if it opens every organization of its user. */
  readonly organizationId: OrganizationId | undefined;
  /** The only repositories that the key reads; `undefined` if it has the access of its user. */
  readonly repositories: ReadonlySet<RepositoryId> | undefined;
  /** The user's membership in the requested organization. */
  readonly membership: Membership | undefined;
}

/** Inserts a key and returns it as its owner sees it; `undefined` if there is one with its id. */
export async function insertApiKey(queries: Queries, row: ApiKeyRow): Promise<ApiKey | undefined> {
  const inserted = await queries
    .insertInto('api_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return undefined;
  return toApiKey(await describedKeys(queries).where('id', '=', row.id).executeTakeFirstOrThrow());
}

/**
 * Uses look-ups by key inside one statement instead of joins: SQLite plans a join again whenever a parameter changes,
 * which takes several times as long as running it.
 */
const keyByHash = preparedQuery(['hash', 'slug'], (queries, { hash, slug }) =>
  queries
    .selectFrom('api_keys as k')
    .where('k.hash', '=', hash)
    .select([
      'k.id',
      'k.user_id',
      'k.organization_id as bound_to',
      'k.repositories',
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
        // A bound key gives a membership only in its own organization.
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
 * Finds an API key with its user and the user's membership in the organization named by `orgSlug`, with one query per
 * request. Never cached, so that revocation and removal take effect immediately.
 */
export async function findKeyHolder(
  queries: Queries,
  hash: string,
  orgSlug: string | undefined,
): Promise<KeyHolder | undefined> {
  const slug = orgSlug ?? '';
  const [row] = await keyByHash(queries, { hash, slug });
  // A key is deleted with its user (on delete cascade), so the user always exists.
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
    repositories: row.repositories === null ? undefined : new Set(readRepositories(row.repositories)),
    membership: membershipOf(row, slug),
  };
}

function readRepositories(stored: string): readonly RepositoryId[] {
  return JSON.parse(stored) as RepositoryId[];
}

function membershipOf(
  row: { readonly organization_id: string | null; readonly role: Role | null },
  orgSlug: string,
): Membership | undefined {
  if (row.organization_id === null || row.role === null) return undefined;
  return { scope: { organizationId: row.organization_id as OrganizationId, orgSlug }, role: row.role };
}

/** Records the use of a key, at most once a minute. */
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

/**
 * Returns the id of the key with a displayed prefix, which shows enough random bits to be unique. For the host only.
 */
export async function findApiKeyByPrefix(queries: Queries, prefix: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('api_keys')
    .select('id')
    .where('prefix', '=', prefix)
    .executeTakeFirst();
  return row?.id;
}

/** Revokes a key. Returns true if the key exists. A second revocation keeps the time of the first. */
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

/** Selects keys: all of a user, or those bound to one organization. */
export interface KeyFilter {
  readonly userId: UserId;
  readonly organizationId?: OrganizationId | undefined;
  /** Also selects keys that open every organization of the user. Default: false. */
  readonly includeUnbound?: boolean;
}

/** Returns the condition for the selected keys that are not revoked. */
function liveKeys({ userId, organizationId, includeUnbound = false }: KeyFilter) {
  return (e: ExpressionBuilder<Tables, 'api_keys'>) => {
    const live = e.and([e('user_id', '=', userId), e('revoked_at', 'is', null)]);
    if (organizationId === undefined) return live;
    const bound = e('organization_id', '=', organizationId);
    return live.and(includeUnbound ? bound.or('organization_id', 'is', null) : bound);
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

/** Lists the user's keys that are not revoked, oldest first. @throws InvalidInput for an invalid limit or cursor */
export async function listApiKeys(
  queries: Queries,
  keys: KeyFilter,
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

/** Revokes one of the selected keys. Returns its name, or `undefined` if there is no such active key. */
export async function endApiKey(
  tx: Queries,
  keys: KeyFilter,
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

/** Revokes the selected keys and returns their number. */
export async function endApiKeys(tx: Queries, keys: KeyFilter, now: number): Promise<number> {
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
    repositories: row.repositories === null ? undefined : readRepositories(row.repositories),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
  };
}

/** Returns whether the user has a key that is neither revoked nor expired. */
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
