import type { Database } from '../../../foundation/db/database.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { type GrantId, newId, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { findMembership, lockOrganization } from '../../identity/people/membership-store.ts';
import { firstPartyClient, firstPartyClientId } from '../first-party-client.ts';
import { insertGrant } from '../grants/grant-store.ts';
import { untilFirstTokenMs } from '../lifetimes.ts';
import { decideObject, findObject, type ObjectDeps } from '../provider/object-store.ts';
import { parseUserCode } from './user-code.ts';

interface HostDeps extends ObjectDeps {
  readonly database: Database;
}

interface HostDecision {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
}

/**
 * Allows a pending sign-in of `orgctx login` without a browser, as the operator of the host. Other clients are refused.
 * @throws NotFound unless the code is pending and the user is a member of the organization
 */
export async function allowDeviceAsHost(
  deps: HostDeps,
  userCode: string,
  { userId, organizationId }: HostDecision,
): Promise<void> {
  const { database, clock } = deps;
  await database.transaction(async (tx) => {
    const code = await findObject(tx, deps, { userCode: parseUserCode(userCode) ?? '' });
    const params = code?.payload['params'] as Readonly<Record<string, unknown>> | undefined;
    await lockOrganization(tx, organizationId);
    const membership = await findMembership(tx, userId, { slug: undefined, organizationId });
    if (code === undefined || params?.['client_id'] !== firstPartyClientId || membership === undefined) {
      throw new NotFound('No sign-in from a terminal waits for this user and organization.');
    }
    const now = clock();
    const grantId = newId<GrantId>(now);
    const scopes = firstPartyClient.scope ?? '';
    const allowed = {
      ...code.payload,
      accountId: userId,
      grantId,
      scope: scopes,
      resource: params['resource'],
      authTime: Math.floor(now / 1000),
    };
    if (!(await decideObject(tx, deps, { key: code.key, payload: allowed }, 'user_code'))) {
      throw new NotFound('This code was already answered.');
    }
    const client = firstPartyClient.client_name ?? firstPartyClientId;
    await insertGrant(tx, {
      id: grantId,
      user_id: userId,
      organization_id: organizationId,
      client_id: firstPartyClientId,
      client_name: client,
      scopes,
      last_used_at: null,
      expires_at: now + untilFirstTokenMs,
      revoked_at: null,
      created_at: now,
    });
    const details = { client, clientId: firstPartyClientId, scopes: scopes.split(' ') };
    const event = {
      organizationId,
      actor: { kind: 'host' },
      action: 'grant.created',
      target: grantId,
    } as const;
    await recordAudit(tx, { ...event, details }, now);
  });
}
