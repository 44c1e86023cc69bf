import type { Queries } from '../../../foundation/db/database.ts';
import { recordAudit, recordNewUser } from '../audit/audit-store.ts';
import type { User } from '../people/user.ts';
import { insertUser, lockUser } from '../people/user-store.ts';
import type { UpstreamIdentity } from './exchange-code.ts';
import type { UpstreamProvider } from './upstream-provider.ts';
import { UpstreamRefused } from './upstream-refused.ts';
import { findAccountByEmail, findUserByIdentity, insertIdentity, isInvited } from './user-identity-store.ts';

/**
 * Whose account an identity of the provider opens. A known one opens its own. One that is new opens an account only
 * by an open invitation or an allowed mail domain, and only one that nothing else signs in: whoever controls an
 * address at the provider must not come into an account with a password. Memberships come from invitations alone.
 * Run it in a transaction.
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
  return link(tx, identity, now);
}

async function link(tx: Queries, identity: UpstreamIdentity, now: number): Promise<User> {
  const found = await findAccountByEmail(tx, identity.email);
  if (found !== undefined) await lockUser(tx, found.id);
  // Looked at again under the lock, where two who link it at once meet: it may have got a password or a link meanwhile.
  const account = found && (await findAccountByEmail(tx, identity.email));
  if (account === undefined || account.claimed) {
    // The same person, twice at once: the other one has linked it.
    const known = await findUserByIdentity(tx, identity);
    if (known !== undefined) return enabled(known);
    throw new UpstreamRefused(
      `There is an account of ${identity.email} already, and it is not linked to this sign-in service. Sign in with ` +
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
