import { Forbidden } from '../../../foundation/kernel/errors.ts';
import { invalidField } from '../../../foundation/kernel/invalid-field.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { findPasswordHolder, type PasswordHolder, setPasswordHash } from '../people/user-store.ts';
import { checkNewPassword } from './password.ts';
import type { BrowserSession, NewSession } from './session.ts';
import { createSession, endSessionsOf } from './session-store.ts';
import { requireUnchanged, type SignInDeps } from './sign-in.ts';
import { countSignIn, forgiveSignIn } from './sign-in-limits.ts';

export interface PasswordChange {
  /** Whose password it is. */
  readonly session: BrowserSession;
  /** The present one; nobody asks whoever has none. */
  readonly current?: string | undefined;
  readonly password: string;
  readonly address: string;
  readonly userAgent?: string | undefined;
}

/**
 * Gives a person who is signed in another password, and their browser a new session: every one before it ends. The
 * present password is asked, so that a browser left open gives nobody the account for good; wrong ones count as failed
 * sign-ins do.
 * @throws InvalidInput at `password` for one that may not be one, at `current` for a wrong one; Forbidden where the
 * account is another by now; RateLimited; Unavailable when too many sign in at once
 */
export async function changePassword(deps: SignInDeps, change: PasswordChange): Promise<NewSession> {
  const { database, clock, hashing } = deps;
  const { session, current, password, address, userAgent } = change;
  checkNewPassword(password);
  const counted = { account: session.email, address };
  await countSignIn(database, counted, clock());
  const holder = await requireHolder(deps, session);
  await requireCurrent(deps, holder, { current, address });
  const hash = await hashing.hash(password);
  return database.transaction(async (tx) => {
    await requireUnchanged(tx, holder);
    await setPasswordHash(tx, holder.id, hash);
    await endSessionsOf(tx, holder.id);
    const entry = { organizationId: null, actor: actorOfSession({ ...session, address }), target: holder.id };
    await recordAudit(tx, { ...entry, action: 'password.changed' }, clock());
    await forgiveSignIn(tx, counted, clock());
    return createSession(tx, { userId: holder.id, address, userAgent }, clock);
  });
}

async function requireHolder({ database }: SignInDeps, { email }: BrowserSession): Promise<PasswordHolder> {
  const holder = await findPasswordHolder(database.queries, email);
  if (holder !== undefined) return holder;
  throw new Forbidden('forbidden', 'This account has changed meanwhile: sign in again.');
}

async function requireCurrent(
  { hashing }: SignInDeps,
  { passwordHash }: PasswordHolder,
  { current = '', address }: Pick<PasswordChange, 'current' | 'address'>,
): Promise<void> {
  if (passwordHash === undefined || (await hashing.verify(current, passwordHash, address))) return;
  throw invalidField('current', 'is wrong', 'That is not your present password.');
}
