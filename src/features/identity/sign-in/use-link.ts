import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, Forbidden } from '../../../foundation/kernel/errors.ts';
import { endApiKeys } from '../api-keys/api-key-store.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { RevokeGrants } from '../identity-deps.ts';
import { admitUserInTransaction } from '../people/admit-user.ts';
import { checkDisplayName } from '../people/display-name.ts';
import { checkOrgSlug } from '../people/organization.ts';
import { checkEmail, type User } from '../people/user.ts';
import {
  findPasswordHolder,
  findUserById,
  hasUsers,
  lockUser,
  setPasswordHash,
} from '../people/user-store.ts';
import type { OneTimeLinkRow } from '../tables.ts';
import { consumeBootstrapLinks, consumeSignInLink, inspectOneTimeLink } from './one-time-link.ts';
import type { NewSession } from './session.ts';
import { createSession, endSessionsOf } from './session-store.ts';
import type { SignInDeps } from './sign-in.ts';

interface Caller {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

export interface SignInLinkUse extends Caller {
  readonly token: string;
  /** A new password. If it replaces another, all sessions and grants of the user end. Default: the password is kept. */
  readonly password?: string | undefined;
  /** True to revoke every API key of the user, too. */
  readonly endKeys?: boolean | undefined;
}

export interface SignInLinkDeps extends SignInDeps {
  readonly revokeGrants: RevokeGrants;
}

/**
 * Signs in the holder of a sign-in link, once.
 * @throws Forbidden for a link that is not valid; InvalidInput for an invalid password, which does not consume the link
 */
export async function useSignInLink(deps: SignInLinkDeps, use: SignInLinkUse): Promise<NewSession> {
  const { database, clock, hashing } = deps;
  await requireValidLink(deps, use.token, 'sign-in');
  // Hashing takes tens of milliseconds, so it runs before the transaction: SQLite has only one writer.
  const hash = use.password === undefined ? undefined : await hashing.hash(use.password);
  return database.transaction(async (tx) => {
    const userId = await consumeSignInLink(tx, use.token, clock());
    const user = userId && (await findUserById(tx, userId));
    if (user === undefined || user.disabled) throw invalidLink();
    const entry = {
      organizationId: null,
      actor: actorOfSession({ userId: user.id, email: user.email, address: use.address }),
    };
    const grants = hash === undefined ? 0 : await replacePassword(deps, tx, { user, hash });
    const apiKeys = use.endKeys === true ? await endApiKeys(tx, { userId: user.id }, clock()) : 0;
    const details = { by: 'link', passwordSet: hash !== undefined, ended: { grants, apiKeys } };
    await recordAudit(tx, { ...entry, action: 'session.begun', details }, clock());
    return createSession(tx, { userId: user.id, address: use.address, userAgent: use.userAgent }, clock);
  });
}

/**
 * Replaces the password and ends all sessions and grants, because an intruder may have known the previous password. A
 * first password ends nothing. Returns the number of revoked grants.
 */
async function replacePassword(
  { clock, revokeGrants }: SignInLinkDeps,
  tx: Queries,
  { user, hash }: { readonly user: User; readonly hash: string },
): Promise<number> {
  await lockUser(tx, user.id);
  const before = await findPasswordHolder(tx, user.email);
  await setPasswordHash(tx, user.id, hash);
  if (before?.passwordHash === undefined) return 0;
  await endSessionsOf(tx, user.id);
  return (await revokeGrants(tx, { userId: user.id }, clock())).length;
}

export interface BootstrapLinkUse extends Caller {
  readonly token: string;
  readonly email: string;
  readonly password: string;
  readonly orgSlug: string;
  readonly orgName?: string | undefined;
}

/**
 * Creates the first user of a deployment as the owner of its first organization.
 * @throws Forbidden for a link that is not valid; Conflict if a user exists; InvalidInput for invalid fields, which do
 * not consume the link
 */
export async function useBootstrapLink(deps: SignInDeps, use: BootstrapLinkUse): Promise<NewSession> {
  const { database, clock, hashing } = deps;
  await requireValidLink(deps, use.token, 'bootstrap');
  const email = checkEmail(use.email);
  checkOrgSlug(use.orgSlug);
  checkDisplayName(use.orgName ?? use.orgSlug, 'organization name');
  const passwordHash = await hashing.hash(use.password);
  return database.transaction(async (tx) => {
    if (!(await consumeBootstrapLinks(tx, use.token, clock()))) throw invalidLink();
    if (await hasUsers(tx)) throw alreadySetUp();
    const admission = { email, orgSlug: use.orgSlug, orgName: use.orgName, role: 'owner' as const };
    const { user } = await admitUserInTransaction(
      tx,
      { ...admission, passwordHash, by: 'user', address: use.address },
      clock,
    );
    const entry = {
      organizationId: null,
      actor: actorOfSession({ userId: user.id, email: user.email, address: use.address }),
    };
    const details = { by: 'bootstrap link' };
    await recordAudit(tx, { ...entry, action: 'session.begun', details }, clock());
    return createSession(tx, { userId: user.id, address: use.address, userAgent: use.userAgent }, clock);
  });
}

/** Checks a link before anything is hashed, so that callers without a valid link cannot fill the hashing queue. */
async function requireValidLink(
  { database, clock }: SignInDeps,
  token: string,
  purpose: OneTimeLinkRow['purpose'],
): Promise<void> {
  const link = await inspectOneTimeLink(database.queries, token, clock);
  if (link.state !== 'valid' || link.purpose !== purpose) throw invalidLink();
}

function invalidLink(): Forbidden {
  return new Forbidden(
    'forbidden',
    'This link is not valid: it has been used or has expired. Ask the operator for a new one ("orgctx admin link --email EMAIL").',
  );
}

function alreadySetUp(): Conflict {
  return new Conflict(
    'conflict',
    'This service has already been set up: sign in, or ask the operator for a link ("orgctx admin link --email EMAIL").',
  );
}
