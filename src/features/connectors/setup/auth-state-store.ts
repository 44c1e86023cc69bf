import type { Queries } from '../../../foundation/db/database.ts';
import {
  findConnectionAcrossOrganizations,
  type OwnedConnection,
} from '../connections/connection-state-store.ts';

/**
 * Takes the state of an authorization, so that no other request can use it. Returns its connection; `undefined` if it
 * is unknown or was issued before `earliest`. The state itself names the organization.
 */
export async function takeAuthState(
  queries: Queries,
  { kind, hash }: { readonly kind: string; readonly hash: string },
  earliest: number,
): Promise<OwnedConnection | undefined> {
  const taken = await queries
    .updateTable('connections')
    .set({ auth_state: null })
    .where('kind', '=', kind)
    .where('auth_state', '=', hash)
    .returning(['id', 'auth_state_issued_at as issuedAt'])
    .executeTakeFirst();
  if (taken === undefined || (taken.issuedAt ?? 0) < earliest) return undefined;
  return findConnectionAcrossOrganizations(queries, taken.id);
}

/** Returns whether another connection of the organization and kind has the account. */
export async function hasAccount(
  tx: Queries,
  { id, kind, organizationId }: OwnedConnection,
  accountId: string,
): Promise<boolean> {
  const found = await tx
    .selectFrom('connections')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .where('account_id', '=', accountId)
    .where('id', '!=', id)
    .executeTakeFirst();
  return found !== undefined;
}
