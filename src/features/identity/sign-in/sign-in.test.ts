import { beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import {
  openTestPeople,
  type Person,
  type TestPeople,
  testHash,
} from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { disableUser, setPasswordHash } from '../people/user-store.ts';
import { endSessionsOf, findSession } from './session-store.ts';
import { signIn } from './sign-in.ts';

const password = 'correct horse battery';
const home = '192.0.2.1';
const minute = 60_000;

describeEachDatabase('signing in', (open) => {
  let database: Database;
  let people: TestPeople;
  let ada: Person;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    ada = await people.join('ada@example.com', 'owner', { password });
    await people.audit();
  });

  const attempt = (request: Partial<Parameters<typeof signIn>[1]> = {}) =>
    signIn(people.deps, { email: ada.email, password, address: home, ...request });
  const refused = expect.objectContaining({
    status: 403,
    message: expect.stringMatching(/e-mail or the password is wrong/),
  });
  const limited = expect.objectContaining({ status: 429, retryAfter: expect.any(Number) });
  const fail = (address: string, email = ada.email) =>
    expect(attempt({ address, email, password: 'wrong' })).rejects.toEqual(refused);
  const failTimes = async (times: number, address: string, email?: string) => {
    for (let count = 0; count < times; count += 1) await fail(address, email);
  };
  /** Fails from twenty networks until the limit of each is reached. */
  const failFromEverywhere = async (email?: string) => {
    for (let network = 0; network < 20; network += 1) await failTimes(10, `198.51.100.${network}`, email);
  };
  /** Fails once from each of the twenty networks and counts it ten times, which leaves the same counts. */
  const countFromEverywhere = async () => {
    for (let network = 0; network < 20; network += 1) await fail(`198.51.100.${network}`);
    await database.queries
      .updateTable('attempts')
      .set((row) => ({ count: row('count', '*', 10) }))
      .where('resets_at', '<=', people.now() + 15 * minute)
      .execute();
  };
  const counts = () => database.queries.selectFrom('attempts').selectAll().orderBy('key').execute();

  it('creates a session regardless of the case of the e-mail and records it', async () => {
    const { token, user } = await attempt({ email: ' ADA@Example.com ', userAgent: 'Browser' });
    expect(user).toEqual({ id: ada.userId, email: ada.email });
    expect(await findSession(database.queries, token, people.deps.clock)).toMatchObject({
      userId: ada.userId,
    });
    expect(await people.audit()).toEqual(['session.begun by ada@example.com']);
  });

  it('is refused with the same error for every reason', async () => {
    const nina = await people.join('nina@example.com', 'member');
    const dan = await people.join('dan@example.com', 'member', { password });
    await people.disable(dan);
    const reasons = [
      { password: 'wrong' },
      { password: '' },
      { email: 'nobody@example.com' },
      { email: 'no address' },
      { email: nina.email },
      { email: dan.email },
    ];
    const answers = await Promise.all(
      reasons.map((reason) => attempt(reason).catch((error: Error) => error)),
    );
    expect(answers).toEqual(reasons.map(() => answers[0]));
    expect(answers[0]).toEqual(refused);
    // Each verifies a hash, so that the timing reveals nothing either.
    expect(people.hashing.count()).toBe(reasons.length);
    expect(await people.sessions()).toBe(0);
  });

  describe('while the account changes', () => {
    it('refuses a password that was changed during verification', async () => {
      people.hashing.meanwhile(() =>
        database.transaction(async (tx) => {
          await setPasswordHash(tx, ada.userId, testHash('another password'));
          await endSessionsOf(tx, ada.userId);
        }),
      );
      await expect(attempt()).rejects.toEqual(refused);
      expect(await people.sessions()).toBe(0);
    });

    it('refuses a user who was disabled during verification', async () => {
      people.hashing.meanwhile(() => disableUser(database.queries, ada.userId, people.now()));
      await expect(attempt()).rejects.toEqual(refused);
      expect(await people.sessions()).toBe(0);
    });

    it('leaves no session for the old password in either commit order', async () => {
      for (let round = 0; round < 10; round += 1) {
        await setPasswordHash(database.queries, ada.userId, testHash(password));
        const change = database.transaction(async (tx) => {
          await setPasswordHash(tx, ada.userId, testHash('another password'));
          await endSessionsOf(tx, ada.userId);
        });
        await Promise.allSettled([attempt(), change, attempt()]);
        expect(await people.sessions()).toBe(0);
      }
    });
  });

  describe('has limits', () => {
    it('of ten failures at an account from one network, and counts no further attempts', async () => {
      await failTimes(10, home);
      const before = await counts();
      await expect(attempt()).rejects.toEqual(limited);
      expect(await counts()).toEqual(before);
      expect(people.hashing.count()).toBe(10);
      people.advance(15 * minute);
      await attempt();
    });

    it('that count addresses of one IPv6 /64 as one', async () => {
      for (let host = 0; host < 10; host += 1) await fail(`2001:db8:1:2:${host}::1`);
      await expect(attempt({ address: '2001:db8:1:2:ffff::1' })).rejects.toEqual(limited);
      await attempt({ address: '2001:db8:1:3::1' });
    });

    it('that count the networks of one IPv6 /56 and /48 together, with higher values', async () => {
      for (const network of ['a:100', 'a:101']) await failTimes(10, `2001:db8:${network}::1`);
      await expect(attempt({ address: '2001:db8:a:1ff::1' })).rejects.toEqual(limited);
      for (const network of ['a:200', 'a:300']) await failTimes(10, `2001:db8:${network}::1`);
      await expect(attempt({ address: '2001:db8:a:ff00::1' })).rejects.toEqual(limited);
      await attempt({ address: '2001:db8:b::1' });
    });

    it('that do not lock a user out of their own IPv6 /64 because of failures in networks around it', async () => {
      await attempt({ address: '2001:db8:a:1::1' });
      for (const network of ['a:100', 'a:101', 'a:200', 'a:300']) {
        await failTimes(10, `2001:db8:${network}::1`);
      }
      await expect(attempt({ address: '2001:db8:a:400::1' })).rejects.toEqual(limited);
      await attempt({ address: '2001:db8:a:1::2' });
    });

    it('of fifty failures from one network at many accounts', async () => {
      for (let account = 0; account < 50; account += 1) await fail(home, `person-${account}@example.com`);
      await expect(attempt()).rejects.toEqual(limited);
      await attempt({ address: '192.0.2.2' });
    });

    it('of two hundred failures at one account from all networks', async () => {
      await failFromEverywhere();
      await expect(attempt({ address: '203.0.113.1' })).rejects.toEqual(limited);
    });

    it('that apply to unknown users in the same way', async () => {
      await failFromEverywhere('nobody@example.com');
      await expect(attempt({ email: 'nobody@example.com', address: '203.0.113.1' })).rejects.toEqual(limited);
    });

    it('that do not lock users out of a network from which they have signed in', async () => {
      await attempt();
      await countFromEverywhere();
      await attempt();
      await expect(attempt({ address: '203.0.113.1' })).rejects.toEqual(limited);
      people.advance(15 * minute);
      await countFromEverywhere();
      await attempt();
    });

    it('that also apply in a known network', async () => {
      await attempt();
      await failTimes(10, home);
      await expect(attempt()).rejects.toEqual(limited);
    });

    it('that treat a network as known for 90 days', async () => {
      await attempt();
      people.advance(90 * 24 * 60 * minute);
      await countFromEverywhere();
      await expect(attempt()).rejects.toEqual(limited);
    });

    it('that are reset by a success', async () => {
      await failTimes(9, home);
      await attempt();
      await failTimes(10, home);
      await expect(attempt()).rejects.toEqual(limited);
    });

    it('that are exact for concurrent attempts', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, () => attempt({ password: 'wrong' })),
      );
      const statuses = outcomes.map((one) => (one as PromiseRejectedResult).reason.status as number);
      expect(statuses.filter((status) => status === 403)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    });
  });
});
