import { beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase, itWhen } from '../../../../test/support/databases.ts';
import {
  host,
  openTestPeople,
  type Person,
  type TestPeople,
  testHash,
  waitingForLock,
} from '../../../../test/support/people.ts';
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
  const comeIn = (token: string) => acceptInvitationAsNewcomer(people.deps, { token, password });
  const state = async (token: string) =>
    (await inspectInvitation(database.queries, token, people.deps.clock)).state;
  const refusal = (message: RegExp, status = 403) =>
    expect.objectContaining({ status, message: expect.stringMatching(message) });

  it('makes its person a member with its role, and that is in the log', async () => {
    await accept(await invite(bob.email, owner.actor, 'admin'));
    expect(await people.role(bob, owner.scope)).toBe('admin');
    expect(await people.audit()).toEqual([
      'invitation.created by owner@example.com',
      'member.joined by bob@example.com',
    ]);
  });

  it('makes somebody new an account with the password they choose, signed in, and that is in the log', async () => {
    const token = await invite('ada@example.com');
    await people.audit();
    const session = await comeIn(token);
    expect(session).toEqual({ token: expect.any(String), expiresAt: people.now() + 14 * day });
    expect(await people.passwordHash('ada@example.com')).toBe(testHash(password));
    expect(await people.role({ email: 'ada@example.com' }, owner.scope)).toBe('member');
    expect(await people.audit()).toEqual([
      'member.joined by ada@example.com',
      'user.created by ada@example.com',
    ]);
  });

  it('works once', async () => {
    const token = await invite(bob.email);
    await accept(token);
    await expect(accept(token)).rejects.toEqual(refusal(/has been used or ended/));
    expect(await state(token)).toBe('used');
  });

  it('works once for many at the same moment', async () => {
    const token = await invite('ada@example.com');
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => comeIn(token)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await people.sessions()).toBe(1);
  });

  it('is for its own address alone, and stays open for it', async () => {
    const token = await invite('ada@example.com');
    await expect(accept(token)).rejects.toEqual(refusal(/another e-mail address/));
    expect(await people.role(bob, owner.scope)).toBeUndefined();
    expect(await state(token)).toBe('valid');
  });

  it('is over after seven days, and when it is taken back', async () => {
    const token = await invite(bob.email);
    people.advance(7 * day - 1);
    expect(await state(token)).toBe('valid');
    people.advance(1);
    await expect(accept(token)).rejects.toEqual(refusal(/used or ended/));
    const { token: taken, invitation } = await people.invite(host, bob.email, 'member', owner.scope);
    await revokeInvitation(people.deps, owner.scope, admin.actor, invitation.id);
    await expect(accept(taken)).rejects.toEqual(refusal(/used or ended/));
    expect(await people.role(bob, owner.scope)).toBeUndefined();
  });

  it('lets no disabled user in', async () => {
    const token = await invite(bob.email);
    await people.disable(bob);
    await expect(accept(token)).rejects.toEqual(refusal(/used or ended/));
  });

  it('leaves a role that somebody has', async () => {
    const token = await invite(bob.email);
    await people.join(bob.email, 'admin');
    await accept(token);
    expect(await people.role(bob, owner.scope)).toBe('admin');
  });

  describe('of an inviter who could not give it any more', () => {
    it('is refused in words while they are disabled, and stays open', async () => {
      const token = await invite(bob.email, admin.actor);
      await people.disable(admin);
      await expect(accept(token)).rejects.toEqual(refusal(/may not invite people .* any more/));
      expect(await people.role(bob, owner.scope)).toBeUndefined();
      await enableUser(database.queries, admin.userId);
      await accept(token);
      expect(await people.role(bob, owner.scope)).toBe('member');
    });

    it('is refused when they were removed, or made a member', async () => {
      const token = await invite(bob.email, admin.actor);
      await changeRole(people.deps, owner.scope, owner.actor, { userId: admin.userId, role: 'member' });
      await expect(accept(token)).rejects.toEqual(refusal(/any more/));
      await database.queries.deleteFrom('memberships').where('user_id', '=', admin.userId).execute();
      await expect(accept(token)).rejects.toEqual(refusal(/any more/));
    });

    it('makes no owner once they are an admin only, and no account either', async () => {
      const other = await people.join('other@example.com', 'owner');
      const token = await invite('ada@example.com', other.actor, 'owner');
      await changeRole(people.deps, owner.scope, owner.actor, { userId: other.userId, role: 'admin' });
      await expect(comeIn(token)).rejects.toEqual(refusal(/any more/));
      expect(await people.passwordHash('ada@example.com')).toBeUndefined();
    });

    it('goes with its inviter, and is not taken for the word of the host', async () => {
      const token = await invite(bob.email, admin.actor);
      await database.queries.deleteFrom('users').where('id', '=', admin.userId).execute();
      await expect(accept(token)).rejects.toEqual(refusal(/used or ended/));
      expect(await people.role(bob, owner.scope)).toBeUndefined();
    });

    it('counts when it came from the host', async () => {
      await accept(await invite(bob.email, host, 'owner'));
      expect(await people.role(bob, owner.scope)).toBe('owner');
    });
  });

  describe('gives no password to an account that is there', () => {
    it('and hashes nothing for it', async () => {
      const token = await invite(bob.email);
      await expect(comeIn(token)).rejects.toEqual(refusal(/sign in first/, 409));
      expect(people.hashing.count()).toBe(0);
      expect(await people.passwordHash(bob.email)).toBe(testHash(password));
    });

    it('nor to one that is made while the password is hashed', async () => {
      const token = await invite('ada@example.com');
      people.hashing.meanwhile(async () => {
        const ada = await ensureUser(database.queries, 'ada@example.com', people.deps.clock);
        await setPasswordHash(database.queries, ada.id, 'her own');
      });
      await expect(comeIn(token)).rejects.toEqual(refusal(/sign in first/, 409));
      expect(await people.passwordHash('ada@example.com')).toBe('her own');
      expect(await state(token)).toBe('valid');
    });

    // On SQLite writers come one after the other, so there is no such moment.
    itWhen(dialect === 'postgres')('nor to one that is being made at the same moment', async () => {
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
      const coming = comeIn(token).catch((error: unknown) => error);
      await waitingForLock(database);
      commit.resolve();
      await other;
      expect(await coming).toEqual(refusal(/sign in first/, 409));
      expect(await people.passwordHash('ada@example.com')).toBe('her own');
    });
  });

  it('asks for nothing of who has no invitation: no hash is made', async () => {
    await expect(comeIn('A'.repeat(43))).rejects.toEqual(refusal(/used or ended/));
    expect(people.hashing.count()).toBe(0);
  });

  it('is left open by a password that is too short', async () => {
    const token = await invite('ada@example.com');
    await expect(acceptInvitationAsNewcomer(people.deps, { token, password: 'short' })).rejects.toEqual(
      expect.objectContaining({ status: 400 }),
    );
    expect(await state(token)).toBe('valid');
  });
});
