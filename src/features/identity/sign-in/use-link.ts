import type { Queries } from '../../../foundation/db/database.ts';
import type { OneTimeLinkRow } from '../../../foundation/db/tables.ts';
import { Conflict, Forbidden } from '../../../foundation/kernel/errors.ts';
import { endApiKeys } from '../api-keys/api-key-store.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { RevokeGrants } from '../identity-deps.ts';
import { admitWithin } from '../people/admit-user.ts';
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
import { inspectOneTimeLink, spendBootstrapLinks, spendSignInLink } from './one-time-link.ts';
import type { NewSession } from './session.ts';
import { createSession, endSessionsOf } from './session-store.ts';
import type { SignInDeps } from './sign-in.ts';

interface Caller {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

export interface SignInLinkUse extends Caller {
  readonly token: string;
  /** A new one. In the place of another it ends what was begun with that: sessions, and what clients were allowed. */
  readonly password?: string | undefined;
  /** Whether every API key of the user ends, too. */
  readonly endKeys?: boolean | undefined;
}

export interface SignInLinkDeps extends SignInDeps {
  readonly revokeGrants: RevokeGrants;
}

/**
 * Signs in whoever holds a sign-in link, once.
 * @throws Forbidden for a link that does not count; InvalidInput for a bad password, which does not use it up
 */
export async function useSignInLink(deps: SignInLinkDeps, use: SignInLinkUse): Promise<NewSession> {
  const { database, clock, hashing } = deps;
  await requireLink(deps, use.token, 'sign-in');
  // Hashed before the transaction: it takes tens of milliseconds and SQLite has one writer.
  const hash = use.password === undefined ? undefined : await hashing.hash(use.password);
  return database.transaction(async (tx) => {
    const userId = await spendSignInLink(tx, use.token, clock());
    const user = userId && (await findUserById(tx, userId));
    if (user === undefined || user.disabled) throw deadLink();
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
 * Who had the password before may have let in others than the user wants, or have been another: what was begun with it
 * ends. A first one ends nothing. Gives how many grants ended.
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
 * The first person of a deployment becomes the owner of its first organization.
 * @throws Forbidden for a link that does not count; Conflict once anybody exists; InvalidInput for bad fields, which
 * do not use it up
 */
export async function useBootstrapLink(deps: SignInDeps, use: BootstrapLinkUse): Promise<NewSession> {
  const { database, clock, hashing } = deps;
  await requireLink(deps, use.token, 'bootstrap');
  const email = checkEmail(use.email);
  checkOrgSlug(use.orgSlug);
  checkDisplayName(use.orgName ?? use.orgSlug, 'organization name');
  const passwordHash = await hashing.hash(use.password);
  return database.transaction(async (tx) => {
    if (!(await spendBootstrapLinks(tx, use.token, clock()))) throw deadLink();
    if (await hasUsers(tx)) throw alreadySetUp();
    const admission = { email, orgSlug: use.orgSlug, orgName: use.orgName, role: 'owner' as const };
    const { user } = await admitWithin(
      tx,
      { ...admission, passwordHash, by: 'themselves', address: use.address },
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

/** Looked at before anything is hashed: without a link that counts nobody makes others wait for their turn. */
async function requireLink(
  { database, clock }: SignInDeps,
  token: string,
  purpose: OneTimeLinkRow['purpose'],
): Promise<void> {
  const link = await inspectOneTimeLink(database.queries, token, clock);
  if (link.state !== 'valid' || link.purpose !== purpose) throw deadLink();
}

function deadLink(): Forbidden {
  return new Forbidden(
    'forbidden',
    'This link has been used, has expired, or is not one of ours. Ask the operator for another: orgctx admin link --email EMAIL',
  );
}

function alreadySetUp(): Conflict {
  return new Conflict(
    'conflict',
    'This service has been set up already: sign in, or ask the operator for a link: orgctx admin link --email EMAIL',
  );
}
