import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, Forbidden } from '../../../foundation/kernel/errors.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit, recordNewUser } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { hasAuthority } from '../people/member-rights.ts';
import { lockOrganization, putMembership } from '../people/membership-store.ts';
import type { User } from '../people/user.ts';
import { findUserById, insertUser } from '../people/user-store.ts';
import type { NewSession } from '../sign-in/session.ts';
import { createSession } from '../sign-in/session-store.ts';
import type { SignInDeps } from '../sign-in/sign-in.ts';
import { type ConsumedInvitation, consumeInvitation, inspectInvitation } from './invitation-store.ts';

export interface Acceptance {
  readonly token: string;
  readonly userId: UserId;
  readonly address?: string | undefined;
}

/**
 * Accepts an invitation for a signed-in user. An existing membership is not changed.
 * @throws Forbidden for an invitation that is not valid, that is for another e-mail address, or whose inviter no longer
 * has the right to invite; the invitation is then not consumed
 */
export async function acceptInvitation(
  { database, clock }: IdentityDeps,
  { token, userId, address }: Acceptance,
): Promise<void> {
  await database.transaction(async (tx) => {
    const user = await findUserById(tx, userId);
    if (user === undefined || user.disabled) throw invalidInvitation();
    await join(tx, { token, user, address }, clock());
  });
}

export interface NewcomerAcceptance {
  readonly token: string;
  readonly password: string;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * Accepts an invitation for a new user. Creates the account with the invited e-mail address.
 * @throws Forbidden for an invitation that is not valid or whose inviter no longer has the right to invite; Conflict if
 * an account with that address exists, whose user must sign in first; InvalidInput for an invalid password. The
 * invitation is not consumed in any of these cases.
 */
export async function acceptInvitationAsNewcomer(
  { database, clock, hashing }: SignInDeps,
  { token, password, address, userAgent }: NewcomerAcceptance,
): Promise<NewSession> {
  const state = await inspectInvitation(database.queries, token, clock);
  if (state.state !== 'valid') throw invalidInvitation();
  if (state.known) throw accountExists(state.email);
  // Hashing takes tens of milliseconds, so it runs before the transaction, and only for callers with a valid link.
  const passwordHash = await hashing.hash(password);
  return database.transaction(async (tx) => {
    // The password is set only for an account created here, never for one that was created concurrently.
    const user = await insertUser(tx, { email: state.email, passwordHash }, clock());
    if (user === undefined) throw accountExists(state.email);
    const actor = actorOfSession({ userId: user.id, email: user.email, address });
    await recordNewUser(tx, { user, actor }, clock());
    await join(tx, { token, user, address }, clock());
    return createSession(tx, { userId: user.id, address, userAgent }, clock);
  });
}

interface JoinRequest extends Omit<Acceptance, 'userId'> {
  readonly user: User;
}

async function join(tx: Queries, { token, user, address }: JoinRequest, now: number): Promise<void> {
  const invitation = await consumeInvitation(tx, token, now);
  if (invitation === undefined) throw invalidInvitation();
  if (invitation.email !== user.email) throw wrongAccount();
  const { organizationId, role } = invitation;
  await lockOrganization(tx, organizationId);
  const member = await tx
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', user.id)
    .executeTakeFirst();
  if (member === undefined) {
    if (!(await inviterHasAuthority(tx, invitation))) throw inviterLacksAuthority();
    await putMembership(tx, { organizationId, userId: user.id, role }, now);
  }
  const actor = actorOfSession({ userId: user.id, email: user.email, address });
  const details = { role: member?.role ?? role, invitation: invitation.id, invitedBy: invitation.invitedBy };
  await recordAudit(tx, { organizationId, actor, action: 'member.joined', target: user.id, details }, now);
}

/** Returns whether the inviter could give the role now. The host operator always can. */
async function inviterHasAuthority(
  tx: Queries,
  { organizationId, invitedBy, role }: ConsumedInvitation,
): Promise<boolean> {
  return invitedBy === undefined || (await hasAuthority(tx, { organizationId }, invitedBy, role));
}

function invalidInvitation(): Forbidden {
  return new Forbidden(
    'forbidden',
    'This invitation is not valid: it has been used, has expired or was revoked. Ask the person who invited you for a new one.',
  );
}

function wrongAccount(): Forbidden {
  return new Forbidden(
    'forbidden',
    'This invitation is for another e-mail address. Sign out, and sign in with the address it was sent to.',
  );
}

function inviterLacksAuthority(): Forbidden {
  return new Forbidden(
    'forbidden',
    'The person who invited you can no longer invite people to this organization. Ask one of its admins for a new invitation.',
  );
}

function accountExists(email: string): Conflict {
  return new Conflict(
    'conflict',
    `An account for ${email} already exists: sign in first, then open the invitation again.`,
  );
}
