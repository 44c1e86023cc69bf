import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden } from '../../../foundation/kernel/errors.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { checkEmail } from '../people/user.ts';
import { findPasswordHolder, lockUser, type PasswordHolder } from '../people/user-store.ts';
import type { PasswordHashing } from './password-hashing.ts';
import type { NewSession } from './session.ts';
import { createSession } from './session-store.ts';
import { countSignIn, forgiveSignIn } from './sign-in-limits.ts';

export interface SignInDeps extends IdentityDeps {
  readonly hashing: PasswordHashing;
}

export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  /** Of the browser, as far as proxies are trusted (TRUST_PROXY). */
  readonly address: string;
  readonly userAgent?: string | undefined;
}

export interface SignedIn extends NewSession {
  readonly user: { readonly id: UserId; readonly email: string };
}

/** One text for every reason, so that it tells nobody who has an account here. */
export class SignInRefused extends Forbidden {
  constructor() {
    super(
      'forbidden',
      'This e-mail and password do not fit together. Check both, or ask the operator for a one-time sign-in link.',
    );
  }
}

/**
 * Signs a person in by e-mail and password. Attempts are counted before the password is looked at, so that many at
 * once are no more than one after the other.
 * @throws SignInRefused; RateLimited; Unavailable when too many sign in at once
 */
export async function signIn(deps: SignInDeps, request: SignInRequest): Promise<SignedIn> {
  const { database, clock, hashing } = deps;
  const email = emailOf(request.email);
  const counted = { account: email ?? request.email.slice(0, 300), address: request.address };
  await countSignIn(database, counted, clock());
  const holder = email === undefined ? undefined : await findPasswordHolder(database.queries, email);
  const fits = await hashing.verify(request.password, holder?.passwordHash, request.address);
  if (!fits || holder === undefined) throw new SignInRefused();
  const user = { id: holder.id, email: holder.email };
  const { address, userAgent } = request;
  const session = await database.transaction(async (tx) => {
    await requireUnchanged(tx, holder);
    const actor = actorOfSession({ userId: user.id, email: user.email, address });
    await recordAudit(tx, { organizationId: null, actor, action: 'session.begun' }, clock());
    await forgiveSignIn(tx, counted, clock());
    return createSession(tx, { userId: user.id, address, userAgent }, clock);
  });
  return { ...session, user };
}

/**
 * Hashing waits for its turn, and the account may be another by then. Whoever changes a password ends the sessions in
 * the same transaction, so it must come wholly before this one, which is refused, or after, and end this session too.
 * @throws SignInRefused
 */
export async function requireUnchanged(tx: Queries, holder: PasswordHolder): Promise<void> {
  await lockUser(tx, holder.id);
  const now = await findPasswordHolder(tx, holder.email);
  if (now === undefined || now.disabled || now.passwordHash !== holder.passwordHash)
    throw new SignInRefused();
}

/** What cannot be an address belongs to nobody, and is refused like one that does. */
function emailOf(text: string): string | undefined {
  try {
    return checkEmail(text);
  } catch {
    return undefined;
  }
}
