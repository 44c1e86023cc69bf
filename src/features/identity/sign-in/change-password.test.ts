import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import {
  openTestPeople,
  type Person,
  type TestPeople,
  testHash,
} from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { disableUser, setPasswordHash } from '../people/user-store.ts';
import { changePassword, type PasswordChange } from './change-password.ts';
import type { BrowserSession } from './session.ts';
import { findSession } from './session-store.ts';
import { signIn } from './sign-in.ts';

const password = 'correct horse battery';
const other = 'another horse battery';
const address = '192.0.2.1';

describeEachDatabase('changing a password', (open) => {
  let database: Database;
  let people: TestPeople;
  let ada: Person;
  let session: BrowserSession;
  let token: string;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    ada = await people.join('ada@example.com', 'owner', { password });
    ({ token } = await signIn(people.deps, { email: ada.email, password, address }));
    session = (await sessionOf(token))!;
    await people.audit();
  });

  const sessionOf = (of: string) => findSession(database.queries, of, people.deps.clock);
  const change = (request: Partial<PasswordChange> = {}) =>
    changePassword(people.deps, { session, current: password, password: other, address, ...request });
  const wrong = expect.objectContaining({
    status: 400,
    errors: [expect.objectContaining({ path: '/current' })],
  });

  it('accepts only the new password, ends every earlier session and is recorded', async () => {
    const elsewhere = await signIn(people.deps, { email: ada.email, password, address: '198.51.100.1' });
    await people.audit();
    const next = await change();
    expect(await sessionOf(next.token)).toMatchObject({ userId: ada.userId });
    expect(await sessionOf(token)).toBeUndefined();
    expect(await sessionOf(elsewhere.token)).toBeUndefined();
    expect(await people.audit()).toEqual(['password.changed by ada@example.com']);
    await expect(signIn(people.deps, { email: ada.email, password, address })).rejects.toThrow(
      /e-mail or the password is wrong/,
    );
    await signIn(people.deps, { email: ada.email, password: other, address });
  });

  it.each([undefined, '', 'wrong'])(
    'is refused with the current password %j and changes nothing',
    async (current) => {
      await expect(change({ current })).rejects.toEqual(wrong);
      expect(await people.passwordHash(ada.email)).toBe(testHash(password));
      expect(await sessionOf(token)).toBeDefined();
      expect(await people.audit()).toEqual([]);
    },
  );

  it('counts a wrong current password as a failed sign-in, but not an invalid new password', async () => {
    for (let count = 0; count < 20; count += 1)
      await expect(change({ password: 'short' })).rejects.toMatchObject({ errors: [{ path: '/password' }] });
    for (let count = 0; count < 10; count += 1)
      await expect(change({ current: 'wrong' })).rejects.toEqual(wrong);
    await expect(change()).rejects.toMatchObject({ status: 429 });
    await expect(signIn(people.deps, { email: ada.email, password, address })).rejects.toMatchObject({
      status: 429,
    });
  });

  it('does not require a current password from a user who has none', async () => {
    await database.queries.updateTable('users').set({ password_hash: null }).execute();
    await change({ current: undefined });
    expect(await people.passwordHash(ada.email)).toBe(testHash(other));
  });

  it('is refused if another password was set or the account was disabled during hashing', async () => {
    people.hashing.meanwhile(() => setPasswordHash(database.queries, ada.userId, testHash('a third one')));
    await expect(change()).rejects.toMatchObject({ status: 403 });
    expect(await people.passwordHash(ada.email)).toBe(testHash('a third one'));

    await setPasswordHash(database.queries, ada.userId, testHash(password));
    people.hashing.meanwhile(() => disableUser(database.queries, ada.userId, people.now()));
    await expect(change()).rejects.toMatchObject({ status: 403 });
    expect(await people.passwordHash(ada.email)).toBe(testHash(password));
  });
});
