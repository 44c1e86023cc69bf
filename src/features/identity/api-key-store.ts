import type { Queries } from '../../foundation/db/database.ts';
import type { ApiKeyRow } from '../../foundation/db/tables.ts';
import type { ApiKeyId, UserId } from '../../foundation/kernel/ids.ts';

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
}

export async function insertApiKey(queries: Queries, row: ApiKeyRow): Promise<void> {
  await queries.insertInto('api_keys').values(row).execute();
}

/** One indexed lookup joined with the user; asked on every request and never cached, so that revocation is immediate. */
export async function findKeyHolder(queries: Queries, hash: string): Promise<KeyHolder | undefined> {
  const row = await queries
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .where('api_keys.hash', '=', hash)
    .select(['api_keys.id', 'api_keys.expires_at', 'api_keys.last_used_at', 'api_keys.revoked_at'])
    .select(['users.id as user_id', 'users.email', 'users.disabled_at'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    apiKeyId: row.id as ApiKeyId,
    userId: row.user_id as UserId,
    email: row.email,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revoked: row.revoked_at !== null,
    userDisabled: row.disabled_at !== null,
  };
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
