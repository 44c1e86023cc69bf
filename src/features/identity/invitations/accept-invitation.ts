import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, Forbidden } from '../../../foundation/kernel/errors.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit, recordNewUser } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { hasSway } from '../people/member-rights.ts';
import { lockOrganization, putMembership } from '../people/membership-store.ts';
import type { User } from '../people/user.ts';
import { findUserById, insertUser } from '../people/user-store.ts';
import type { NewSession } from '../sign-in/session.ts';
import { createSession } from '../sign-in/session-store.ts';
import type { SignInDeps } from '../sign-in/sign-in.ts';
import { inspectInvitation, type SpentInvitation, spendInvitation } from './invitation-store.ts';

export interface Acceptance {
  readonly token: string;
  readonly userId: UserId;
  readonly address?: string | undefined;
}

/**
 * Lets a signed-in person in who was invited. A membership that is there already is left as it is.
 * @throws Forbidden for an invitation that does not count, of another address, or of an inviter who may not invite any
 * more; it stays as it was
 */
export async function acceptInvitation(
  { database, clock }: IdentityDeps,
  { token, userId, address }: Acceptance,
): Promise<void> {
  await database.transaction(async (tx) => {
    const user = await findUserById(tx, userId);
    if (user === undefined || user.disabled) throw deadInvitation();
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
 * Lets somebody in who was invited and is new here: the account is made, for the invited address.
 * @throws Forbidden for an invitation that does not count, or of an inviter who may not invite any more; Conflict where somebody has that address, who then signs in
 * first; InvalidInput for a bad password. Each leaves it open.
 */
export async function acceptInvitationAsNewcomer(
  { database, clock, hashing }: SignInDeps,
  { token, password, address, userAgent }: NewcomerAcceptance,
): Promise<NewSession> {
  const state = await inspectInvitation(database.queries, token, clock);
  if (state.state !== 'valid') throw deadInvitation();
  if (state.known) throw signInFirst(state.email);
  // Hashed before the transaction, and only for those who have a link: it takes tens of milliseconds.
  const passwordHash = await hashing.hash(password);
  return database.transaction(async (tx) => {
    // The password goes to an account that is made here, never to one that somebody else made meanwhile.
    const user = await insertUser(tx, { email: state.email, passwordHash }, clock());
    if (user === undefined) throw signInFirst(state.email);
    const actor = actorOfSession({ userId: user.id, email: user.email, address });
    await recordNewUser(tx, { user, actor }, clock());
    await join(tx, { token, user, address }, clock());
    return createSession(tx, { userId: user.id, address, userAgent }, clock);
  });
}

interface Joining extends Omit<Acceptance, 'userId'> {
  readonly user: User;
}

async function join(tx: Queries, { token, user, address }: Joining, now: number): Promise<void> {
  const invitation = await spendInvitation(tx, token, now);
  if (invitation === undefined) throw deadInvitation();
  if (invitation.email !== user.email) throw otherPerson();
  const { organizationId, role } = invitation;
  await lockOrganization(tx, organizationId);
  const member = await tx
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', user.id)
    .executeTakeFirst();
  if (member === undefined) {
    if (!(await isStillMeant(tx, invitation))) throw withdrawn();
    await putMembership(tx, { organizationId, userId: user.id, role }, now);
  }
  const actor = actorOfSession({ userId: user.id, email: user.email, address });
  const details = { role: member?.role ?? role, invitation: invitation.id, invitedBy: invitation.invitedBy };
  await recordAudit(tx, { organizationId, actor, action: 'member.joined', target: user.id, details }, now);
}

/** An invitation gives what its inviter could give today, by themselves. The host's operator always could. */
async function isStillMeant(
  tx: Queries,
  { organizationId, invitedBy, role }: SpentInvitation,
): Promise<boolean> {
  return invitedBy === undefined || (await hasSway(tx, { organizationId }, invitedBy, role));
}

function deadInvitation(): Forbidden {
  return new Forbidden(
    'forbidden',
    'This invitation has been used or ended, or is not one of ours. Ask whoever invited you for another.',
  );
}

function otherPerson(): Forbidden {
  return new Forbidden(
    'forbidden',
    'This invitation is for another e-mail address. Sign out, and sign in with the address it was sent to.',
  );
}

function withdrawn(): Forbidden {
  return new Forbidden(
    'forbidden',
    'Who invited you may not invite people to this organization any more. Ask one of its admins for another invitation.',
  );
}

function signInFirst(email: string): Conflict {
  return new Conflict(
    'conflict',
    `${email} has an account here: sign in first, then open the invitation again.`,
  );
}
