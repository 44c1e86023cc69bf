import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden } from '../../../foundation/kernel/errors.ts';
import type { GrantId } from '../../../foundation/kernel/ids.ts';
import { actorOfSession } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { findMembership, lockOrganization } from '../../identity/people/membership-store.ts';
import type { AllowDecision } from '../authorization-server.ts';
import { insertGrant } from '../grants/grant-store.ts';
import { untilFirstTokenMs } from '../lifetimes.ts';
import { objectKey } from '../provider/object-store.ts';
import { keepClient } from '../registration/client-lifetime.ts';
import { clientNameOf, scopesOf } from './describe-interaction.ts';
import type { Interaction, InteractionDeps } from './find-interaction.ts';

/**
 * Creates the grant of a decision, with its audit event.
 * @throws Forbidden unless the user is a member of the organization
 */
export async function createGrant(
  tx: Queries,
  deps: InteractionDeps,
  { client, params }: Interaction,
  { userId, organizationId, address }: AllowDecision,
  id: GrantId,
): Promise<void> {
  // Checked again because the page may have been open for a long time. The lock makes a concurrent removal of the
  // member, which revokes their grants, wait for this grant.
  await lockOrganization(tx, organizationId);
  const membership = await findMembership(tx, userId, { slug: undefined, organizationId });
  if (membership === undefined) {
    throw new Forbidden('forbidden', 'You are not a member of that organization: choose another one.');
  }
  const now = deps.clock();
  const name = clientNameOf(client);
  const scopes = scopesOf(params);
  // Short, so that a code that is never redeemed leaves no connected client. Each refresh token extends the lifetime.
  const unrefreshedMs = client.grantTypeAllowed('refresh_token') ? 0 : deps.accessTokenTtlMs;
  const expiresAt = now + untilFirstTokenMs + unrefreshedMs;
  await insertGrant(tx, {
    id,
    user_id: userId,
    organization_id: organizationId,
    client_id: client.clientId,
    client_name: name,
    scopes: scopes.join(' '),
    last_used_at: null,
    expires_at: expiresAt,
    revoked_at: null,
    created_at: now,
  });
  await keepClient(tx, objectKey(deps, 'Client', client.clientId), expiresAt);
  const { email } = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const actor = actorOfSession({ userId, email, address });
  const details = { client: name, clientId: client.clientId, scopes };
  await recordAudit(tx, { organizationId, actor, action: 'grant.created', target: id, details }, now);
}
