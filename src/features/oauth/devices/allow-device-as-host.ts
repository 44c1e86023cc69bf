import type { Database } from '../../../foundation/db/database.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { type GrantId, newId, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import { firstPartyClient, firstPartyClientId } from '../first-party-client.ts';
import { recordGrant } from '../grants/record-grant.ts';
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
    const now = clock();
    const grant = {
      id: newId<GrantId>(now),
      userId,
      organizationId,
      client: { id: firstPartyClientId, name: firstPartyClient.client_name ?? firstPartyClientId },
      scopes: (firstPartyClient.scope ?? '').split(' '),
      expiresAt: now + untilFirstTokenMs,
    };
    if (
      code === undefined ||
      params?.['client_id'] !== firstPartyClientId ||
      !(await recordGrant(tx, grant, { kind: 'host' }, now))
    ) {
      throw new NotFound('No sign-in from a terminal waits for this user and organization.');
    }
    const allowed = {
      ...code.payload,
      accountId: userId,
      grantId: grant.id,
      scope: grant.scopes.join(' '),
      resource: params['resource'],
      authTime: Math.floor(now / 1000),
    };
    if (!(await decideObject(tx, deps, { key: code.key, payload: allowed }, 'user_code'))) {
      throw new NotFound('This code was already answered.');
    }
  });
}
