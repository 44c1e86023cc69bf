import type { Queries } from '../../../foundation/db/database.ts';
import type { OauthGrantRow } from '../../../foundation/db/tables.ts';
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
