import { Forbidden } from '../../../foundation/kernel/errors.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { findPasswordHolder, type PasswordHolder, setPasswordHash } from '../people/user-store.ts';
import { checkNewPassword } from './password.ts';
import type { BrowserSession, NewSession } from './session.ts';
import { createSession, endSessionsOf } from './session-store.ts';
import { requireUnchanged, type SignInDeps } from './sign-in.ts';
import { clearFailedSignIns, countSignIn } from './sign-in-limits.ts';

export interface PasswordChange {
  /** The session of the user whose password changes. */
  readonly session: BrowserSession;
  /** The current password. Not checked if the user has none. */
  readonly current?: string | undefined;
  readonly password: string;
  readonly address: string;
  readonly userAgent?: string | undefined;
}

/**
 * Changes the password of a signed-in user, ends all sessions and creates a new one for the browser. Requires the
 * current password, so that an unattended browser is not enough to take over the account. A wrong current password
 * counts as a failed sign-in.
 * @throws InvalidInput with the path `password` for an invalid new password, `current` for a wrong current one;
 * Forbidden if the account changed concurrently; RateLimited; Unavailable if too many sign-ins are pending
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
    await clearFailedSignIns(tx, counted, clock());
    return createSession(tx, { userId: holder.id, address, userAgent }, clock);
  });
}

async function requireHolder({ database }: SignInDeps, { email }: BrowserSession): Promise<PasswordHolder> {
  const holder = await findPasswordHolder(database.queries, email);
  if (holder !== undefined) return holder;
  throw new Forbidden('forbidden', 'This account was changed in the meantime: sign in again.');
}

async function requireCurrent(
  { hashing }: SignInDeps,
  { passwordHash }: PasswordHolder,
  { current = '', address }: Pick<PasswordChange, 'current' | 'address'>,
): Promise<void> {
  if (passwordHash === undefined || (await hashing.verify(current, passwordHash, address))) return;
  throw invalidField('current', 'is wrong', 'The current password is wrong.');
}
