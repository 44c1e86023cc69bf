import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden } from '../../../foundation/kernel/errors.ts';
import type { GrantId } from '../../../foundation/kernel/ids.ts';
import { actorOfSession } from '../../identity/audit/audit.ts';
import type { AllowDecision } from '../authorization-server.ts';
import { keepGrantedClient } from '../client-documents/client-copy.ts';
import { recordGrant } from '../grants/record-grant.ts';
import { untilFirstTokenMs } from '../lifetimes.ts';
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
  const now = deps.clock();
  const name = clientNameOf(client);
  const scopes = scopesOf(params);
  // Short, so that a code that is never redeemed leaves no connected client. Each refresh token extends the lifetime.
  const unrefreshedMs = client.grantTypeAllowed('refresh_token') ? 0 : deps.accessTokenTtlMs;
  const expiresAt = now + untilFirstTokenMs + unrefreshedMs;
  const { email } = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const actor = actorOfSession({ userId, email, address });
  const grant = { id, userId, organizationId, client: { id: client.clientId, name }, scopes, expiresAt };
  // The user may have been removed while the page was open.
  if (!(await recordGrant(tx, grant, actor, now))) {
    throw new Forbidden('forbidden', 'You are not a member of that organization: choose another one.');
  }
  await keepGrantedClient(tx, deps, client, expiresAt);
}
