import { beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase, itWhen } from '../../../../test/support/database/databases.ts';
import {
  host,
  openTestPeople,
  type Person,
  type TestPeople,
  testHash,
  waitingForLock,
} from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { changeRole } from '../people/change-role.ts';
import { enableUser, ensureUser, setPasswordHash } from '../people/user-store.ts';
import { acceptInvitation, acceptInvitationAsNewcomer } from './accept-invitation.ts';
import { inspectInvitation } from './invitation-store.ts';
import { revokeInvitation } from './revoke-invitation.ts';

const day = 24 * 3_600_000;
const password = 'correct horse battery';

describeEachDatabase('an invitation', (open, dialect) => {
  let database: Database;
  let people: TestPeople;
  let owner: Person;
  let admin: Person;
  let bob: Person;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    owner = await people.join('owner@example.com', 'owner');
    admin = await people.join('admin@example.com', 'admin');
    bob = await people.join('bob@example.com', 'owner', { orgSlug: 'globex', password });
    await people.audit();
  });

  const invite = async (email: string, by = owner.actor, role: 'owner' | 'admin' | 'member' = 'member') =>
    (await people.invite(by, email, role, owner.scope)).token;
  const accept = (token: string, { userId }: Pick<Person, 'userId'> = bob) =>
    acceptInvitation(people.deps, { token, userId });
  const acceptAsNewUser = (token: string) => acceptInvitationAsNewcomer(people.deps, { token, password });
  const state = async (token: string) =>
    (await inspectInvitation(database.queries, token, people.deps.clock)).state;
  const refusal = (message: RegExp, status = 403) =>
    expect.objectContaining({ status, message: expect.stringMatching(message) });

  it('makes the invited user a member with the given role and records it', async () => {
    await accept(await invite(bob.email, owner.actor, 'admin'));
    expect(await people.role(bob, owner.scope)).toBe('admin');
    expect(await people.audit()).toEqual([
      'invitation.created by owner@example.com',
      'member.joined by bob@example.com',
    ]);
  });

  it('creates an account with the chosen password for a new user, signs the user in and records it', async () => {
    const token = await invite('ada@example.com');
    await people.audit();
    const session = await acceptAsNewUser(token);
    expect(session).toEqual({ token: expect.any(String), expiresAt: people.now() + 14 * day });
    expect(await people.passwordHash('ada@example.com')).toBe(testHash(password));
    expect(await people.role({ email: 'ada@example.com' }, owner.scope)).toBe('member');
    expect(await people.audit()).toEqual([
      'member.joined by ada@example.com',
      'user.created by ada@example.com',
    ]);
  });

  it('is valid once', async () => {
    const token = await invite(bob.email);
    await accept(token);
    await expect(accept(token)).rejects.toEqual(refusal(/it has been used, has expired/));
    expect(await state(token)).toBe('used');
  });

  it('is valid for one of several concurrent requests', async () => {
    const token = await invite('ada@example.com');
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => acceptAsNewUser(token)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await people.sessions()).toBe(1);
  });

  it('is valid only for the invited address and stays open for it', async () => {
    const token = await invite('ada@example.com');
    await expect(accept(token)).rejects.toEqual(refusal(/another e-mail address/));
    expect(await people.role(bob, owner.scope)).toBeUndefined();
    expect(await state(token)).toBe('valid');
  });

  it('is not valid after seven days or after it was revoked', async () => {
    const token = await invite(bob.email);
    people.advance(7 * day - 1);
    expect(await state(token)).toBe('valid');
    people.advance(1);
    await expect(accept(token)).rejects.toEqual(refusal(/it has been used, has expired/));
    const { token: revoked, invitation } = await people.invite(host, bob.email, 'member', owner.scope);
    await revokeInvitation(people.deps, owner.scope, admin.actor, invitation.id);
    await expect(accept(revoked)).rejects.toEqual(refusal(/it has been used, has expired/));
    expect(await people.role(bob, owner.scope)).toBeUndefined();
  });

  it('is refused for a disabled user', async () => {
    const token = await invite(bob.email);
    await people.disable(bob);
    await expect(accept(token)).rejects.toEqual(refusal(/it has been used, has expired/));
  });

  it('does not change an existing role', async () => {
    const token = await invite(bob.email);
    await people.join(bob.email, 'admin');
    await accept(token);
    expect(await people.role(bob, owner.scope)).toBe('admin');
  });

  describe('of an inviter who no longer has the right', () => {
    it('is refused with the reason while the inviter is disabled, and stays open', async () => {
      const token = await invite(bob.email, admin.actor);
      await people.disable(admin);
      await expect(accept(token)).rejects.toEqual(refusal(/can no longer invite people/));
      expect(await people.role(bob, owner.scope)).toBeUndefined();
      await enableUser(database.queries, admin.userId);
      await accept(token);
      expect(await people.role(bob, owner.scope)).toBe('member');
    });

    it('is refused after the inviter was removed or became a member', async () => {
      const token = await invite(bob.email, admin.actor);
      await changeRole(people.deps, owner.scope, owner.actor, { userId: admin.userId, role: 'member' });
      await expect(accept(token)).rejects.toEqual(refusal(/can no longer invite/));
      await database.queries.deleteFrom('memberships').where('user_id', '=', admin.userId).execute();
      await expect(accept(token)).rejects.toEqual(refusal(/can no longer invite/));
    });

    it('creates neither an owner nor an account once the inviter is only an admin', async () => {
      const other = await people.join('other@example.com', 'owner');
      const token = await invite('ada@example.com', other.actor, 'owner');
      await changeRole(people.deps, owner.scope, owner.actor, { userId: other.userId, role: 'admin' });
      await expect(acceptAsNewUser(token)).rejects.toEqual(refusal(/can no longer invite/));
      expect(await people.passwordHash('ada@example.com')).toBeUndefined();
    });

    it('is deleted with its inviter and does not count as one of the host', async () => {
      const token = await invite(bob.email, admin.actor);
      await database.queries.deleteFrom('users').where('id', '=', admin.userId).execute();
      await expect(accept(token)).rejects.toEqual(refusal(/it has been used, has expired/));
      expect(await people.role(bob, owner.scope)).toBeUndefined();
    });

    it('is valid if the host sent it', async () => {
      await accept(await invite(bob.email, host, 'owner'));
      expect(await people.role(bob, owner.scope)).toBe('owner');
    });
  });

  describe('sets no password for an existing account', () => {
    it('and does not hash the password', async () => {
      const token = await invite(bob.email);
      await expect(acceptAsNewUser(token)).rejects.toEqual(refusal(/sign in first/, 409));
      expect(people.hashing.count()).toBe(0);
      expect(await people.passwordHash(bob.email)).toBe(testHash(password));
    });

    it('or one that was created while the password was hashed', async () => {
      const token = await invite('ada@example.com');
      people.hashing.meanwhile(async () => {
        const ada = await ensureUser(database.queries, 'ada@example.com', people.deps.clock);
        await setPasswordHash(database.queries, ada.id, 'her own');
      });
      await expect(acceptAsNewUser(token)).rejects.toEqual(refusal(/sign in first/, 409));
      expect(await people.passwordHash('ada@example.com')).toBe('her own');
      expect(await state(token)).toBe('valid');
    });

    // SQLite serializes writers, so this race is impossible there.
    itWhen(dialect === 'postgres')('or one that is created concurrently', async () => {
      const token = await invite('ada@example.com');
      const made = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const other = database.transaction(async (tx) => {
        const ada = await ensureUser(tx, 'ada@example.com', people.deps.clock);
        await setPasswordHash(tx, ada.id, 'her own');
        made.resolve();
        await commit.promise;
      });
      await made.promise;
      const accepting = acceptAsNewUser(token).catch((error: unknown) => error);
      await waitingForLock(database);
      commit.resolve();
      await other;
      expect(await accepting).toEqual(refusal(/sign in first/, 409));
      expect(await people.passwordHash('ada@example.com')).toBe('her own');
    });
  });

  it('hashes nothing for a request without an invitation', async () => {
    await expect(acceptAsNewUser('A'.repeat(43))).rejects.toEqual(refusal(/it has been used, has expired/));
    expect(people.hashing.count()).toBe(0);
  });

  it('is not consumed by a password that is too short', async () => {
    const token = await invite('ada@example.com');
    await expect(acceptInvitationAsNewcomer(people.deps, { token, password: 'short' })).rejects.toEqual(
      expect.objectContaining({ status: 400 }),
    );
    expect(await state(token)).toBe('valid');
  });
});
