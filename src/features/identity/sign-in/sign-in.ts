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
import { clearFailedSignIns, countSignIn } from './sign-in-limits.ts';

export interface SignInDeps extends IdentityDeps {
  readonly hashing: PasswordHashing;
}

export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  /** Address of the browser, as far as proxies are trusted (TRUST_PROXY). */
  readonly address: string;
  readonly userAgent?: string | undefined;
}

export interface SignedIn extends NewSession {
  readonly user: { readonly id: UserId; readonly email: string };
}

/**
 * The error of a failed sign-in. The message is the same for every reason, so that it does not reveal which accounts
 * exist.
 */
export class SignInRefused extends Forbidden {
  constructor() {
    super(
      'forbidden',
      'The e-mail or the password is wrong. Check both, or ask the operator for a one-time sign-in link.',
    );
  }
}

/**
 * Signs a user in by e-mail and password. Attempts are counted before the password is verified, so that concurrent
 * attempts cannot exceed the limits.
 * @throws SignInRefused; RateLimited; Unavailable if too many sign-ins are pending
 */
export async function signIn(deps: SignInDeps, request: SignInRequest): Promise<SignedIn> {
  const { database, clock, hashing } = deps;
  const email = emailOf(request.email);
  const counted = { account: email ?? request.email.slice(0, 300), address: request.address };
  await countSignIn(database, counted, clock());
  const holder = email === undefined ? undefined : await findPasswordHolder(database.queries, email);
  const matches = await hashing.verify(request.password, holder?.passwordHash, request.address);
  if (!matches || holder === undefined) throw new SignInRefused();
  const user = { id: holder.id, email: holder.email };
  const { address, userAgent } = request;
  const session = await database.transaction(async (tx) => {
    await requireUnchanged(tx, holder);
    const actor = actorOfSession({ userId: user.id, email: user.email, address });
    await recordAudit(tx, { organizationId: null, actor, action: 'session.begun' }, clock());
    await clearFailedSignIns(tx, counted, clock());
    return createSession(tx, { userId: user.id, address, userAgent }, clock);
  });
  return { ...session, user };
}

/**
 * Locks the user and requires that the account has not changed while the password was hashed. A password change ends
 * the sessions in the same transaction. The lock ensures that it commits either before, and this sign-in is refused, or
 * after, and also ends the new session.
 * @throws SignInRefused
 */
export async function requireUnchanged(tx: Queries, holder: PasswordHolder): Promise<void> {
  await lockUser(tx, holder.id);
  const current = await findPasswordHolder(tx, holder.email);
  if (current === undefined || current.disabled || current.passwordHash !== holder.passwordHash)
    throw new SignInRefused();
}

/** Normalizes an e-mail address; `undefined` for an invalid one, which is refused like an unknown one. */
function emailOf(text: string): string | undefined {
  try {
    return checkEmail(text);
  } catch {
    return undefined;
  }
}
