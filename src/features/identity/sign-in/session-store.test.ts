import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { openTestPeople, type Person, type TestPeople } from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { sessionLimits } from './session.ts';
import { createSession, endSession, endSessionsOf, findSession } from './session-store.ts';

describeEachDatabase('browser sessions', (open) => {
  let database: Database;
  let people: TestPeople;
  let ada: Person;
  let bob: Person;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    ada = await people.join('ada@example.com', 'owner');
    bob = await people.join('bob@example.com', 'member');
  });

  const begin = ({ userId }: Person = ada) =>
    database.transaction((tx) => createSession(tx, { userId }, people.deps.clock));
  const find = (token: string) => findSession(database.queries, token, people.deps.clock);
  const lastSeen = async () =>
    (await database.queries.selectFrom('sessions').select('last_seen_at').executeTakeFirstOrThrow())
      .last_seen_at;
  /** Polls, because the last use is written after the response. */
  const seenAt = (time: number) => expect.poll(lastSeen).toBe(time);

  it('are found by their token, which is stored only as a hash', async () => {
    const { token } = await begin();
    const found = await find(token);
    expect(found).toEqual({ hash: expect.any(String), userId: ada.userId, email: ada.email });
    const rows = await database.queries.selectFrom('sessions').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await find(found?.hash ?? '')).toBeUndefined();
    expect(await find('')).toBeUndefined();
  });

  it('have unique tokens', async () => {
    const tokens = await Promise.all([begin(), begin(), begin()]);
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(3);
  });

  it('expire two weeks after the last use', async () => {
    const { token, expiresAt } = await begin();
    expect(expiresAt).toBe(people.now() + sessionLimits.idleMs);
    people.advance(sessionLimits.idleMs - 1);
    expect(await find(token)).toBeDefined();
    await seenAt(people.now());
    people.advance(sessionLimits.idleMs - 1);
    expect(await find(token)).toBeDefined();
    await seenAt(people.now());
    people.advance(sessionLimits.idleMs);
    expect(await find(token)).toBeUndefined();
  });

  it('expire after 90 days regardless of use', async () => {
    const { token } = await begin();
    const began = people.now();
    while (people.now() + sessionLimits.idleMs / 2 < began + sessionLimits.maxMs) {
      people.advance(sessionLimits.idleMs / 2);
      expect(await find(token)).toBeDefined();
      await seenAt(people.now());
    }
    people.advance(began + sessionLimits.maxMs - people.now());
    expect(await find(token)).toBeUndefined();
  });

  it('record the last use at most once a minute', async () => {
    const { token } = await begin();
    const began = people.now();
    people.advance(sessionLimits.lastSeenPrecisionMs - 1);
    await find(token);
    people.advance(1);
    expect(await lastSeen()).toBe(began);
    await find(token);
    await seenAt(people.now());
  });

  it('are not valid for a disabled user or after sign-out', async () => {
    const { token } = await begin();
    await people.disable(ada);
    expect(await find(token)).toBeUndefined();
    const bobs = await begin(bob);
    await endSession(database.queries, bobs.token);
    expect(await find(bobs.token)).toBeUndefined();
  });

  it('of one user are ended together without affecting other users', async () => {
    const [first, second, bobs] = [await begin(), await begin(), await begin(bob)];
    await database.transaction((tx) => endSessionsOf(tx, ada.userId));
    const found = await Promise.all([first, second, bobs].map(({ token }) => find(token)));
    expect(found).toEqual([undefined, undefined, expect.objectContaining({ email: bob.email })]);
  });

  it('are limited to fifty per user: a further one ends the least recently used', async () => {
    const tokens: string[] = [];
    const bobs = await begin(bob);
    for (let count = 0; count <= sessionLimits.perUser; count += 1) {
      tokens.push((await begin()).token);
      people.advance(1);
    }
    const found = await Promise.all(tokens.map(find));
    expect(found.filter((one) => one === undefined)).toHaveLength(1);
    expect(found[0]).toBeUndefined();
    expect(await find(bobs.token)).toBeDefined();
  });
});
