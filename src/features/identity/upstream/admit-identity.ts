import type { Queries } from '../../../foundation/db/database.ts';
import { recordAudit, recordNewUser } from '../audit/audit-store.ts';
import type { User } from '../people/user.ts';
import { insertUser, lockUser } from '../people/user-store.ts';
import type { UpstreamIdentity } from './exchange-code.ts';
import type { UpstreamProvider } from './upstream-provider.ts';
import { UpstreamRefused } from './upstream-refused.ts';
import { findAccountByEmail, findUserByIdentity, insertIdentity, isInvited } from './user-identity-store.ts';

/**
 * Returns the user for an identity of the provider. A known identity signs in to its linked account. A new identity
 * needs an open invitation or an allowed mail domain, and is linked only to an account without another sign-in method:
 * control of an e-mail address at the provider must not give access to an account with a password. Only invitations
 * give memberships. Call it in a transaction.
 * @throws UpstreamRefused
 */
export async function admitIdentity(
  tx: Queries,
  provider: Pick<UpstreamProvider, 'allowedDomains'>,
  identity: UpstreamIdentity,
  now: number,
): Promise<User> {
  const known = await findUserByIdentity(tx, identity);
  if (known !== undefined) return enabled(known);
  const { email } = identity;
  if (!isOfDomain(email, provider.allowedDomains) && !(await isInvited(tx, email, now))) {
    throw new UpstreamRefused(
      `Nobody has invited ${email} to this service. Ask an admin of your organization for an invitation.`,
    );
  }
  const created = await insertUser(tx, identity, now);
  if (created !== undefined) await recordNewUser(tx, { user: created, actor: { kind: 'system' } }, now);
  return linkIdentity(tx, identity, now);
}

async function linkIdentity(tx: Queries, identity: UpstreamIdentity, now: number): Promise<User> {
  const found = await findAccountByEmail(tx, identity.email);
  if (found !== undefined) await lockUser(tx, found.id);
  // Read again under the lock: the account may have got a password or been linked concurrently.
  const account = found && (await findAccountByEmail(tx, identity.email));
  if (account === undefined || account.claimed) {
    // A concurrent sign-in of the same user may have linked the identity.
    const known = await findUserByIdentity(tx, identity);
    if (known !== undefined) return enabled(known);
    throw new UpstreamRefused(
      `An account for ${identity.email} already exists, and it is not linked to this sign-in service. Sign in with ` +
        'your password, or ask the operator for a one-time sign-in link.',
    );
  }
  const user = enabled(account);
  await insertIdentity(tx, { ...identity, userId: user.id }, now);
  const { issuer } = identity;
  await recordAudit(
    tx,
    {
      organizationId: null,
      actor: { kind: 'system' },
      action: 'identity.linked',
      target: user.id,
      details: { issuer, email: user.email },
    },
    now,
  );
  return user;
}

function enabled({ id, email, disabled }: User): User {
  if (!disabled) return { id, email, disabled };
  throw new UpstreamRefused('This account is disabled. Ask the operator of this service.');
}

function isOfDomain(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1));
}
