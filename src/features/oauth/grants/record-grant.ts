import type { Queries } from '../../../foundation/db/database.ts';
import type { GrantId, OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { findMembership, lockOrganization } from '../../identity/people/membership-store.ts';
import { insertGrant } from './grant-store.ts';

export interface NewGrant {
  readonly id: GrantId;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly client: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

/**
 * Stores a grant with its audit event, unless the user is no member of the organization: then it returns false. The
 * lock makes a concurrent removal of the member, which revokes their grants, wait for this grant.
 */
export async function recordGrant(
  tx: Queries,
  { id, userId, organizationId, client, scopes, expiresAt }: NewGrant,
  actor: AuditActor,
  now: number,
): Promise<boolean> {
  await lockOrganization(tx, organizationId);
  const membership = await findMembership(tx, userId, { slug: undefined, organizationId });
  if (membership === undefined) return false;
  await insertGrant(tx, {
    id,
    user_id: userId,
    organization_id: organizationId,
    client_id: client.id,
    client_name: client.name,
    scopes: scopes.join(' '),
    last_used_at: null,
    expires_at: expiresAt,
    revoked_at: null,
    created_at: now,
  });
  const details = { client: client.name, clientId: client.id, scopes };
  await recordAudit(tx, { organizationId, actor, action: 'grant.created', target: id, details }, now);
  return true;
}
