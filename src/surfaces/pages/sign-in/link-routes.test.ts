import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';
import { createApiKey } from '../../../features/identity/api-keys/create-api-key.ts';
import { findUser } from '../../../features/identity/people/user-store.ts';
import { createOneTimeLink } from '../../../features/identity/sign-in/one-time-link.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';

const email = 'ada@example.com';
const other = 'another battery staple';

describe('the page of a sign-in link', () => {
  let database: TestDatabase;
  let http: TestHttp;
  let path: string;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
    await openPerson(database, email, [{ orgSlug: 'acme', role: 'owner' }]);
    const userId = (await findUser(database.queries, email))?.id;
    if (userId === undefined) throw new Error('nobody is there');
    await createApiKey(database.queries, { userId, name: 'of ada' }, systemClock);
    const { token } = await createOneTimeLink(database.queries, { purpose: 'sign-in', userId }, systemClock);
    path = `/.auth/link/${token}`;
  });
  afterEach(async () => {
    await http.server.close();
    await database.close();
  });

  const submit = async (fields: Readonly<Record<string, string>>) => {
    const browser = pageVisitor(http.server);
    return browser.submit(await browser.get(path), fields);
  };
  const keys = async () =>
    (
      await database.queries
        .selectFrom('api_keys')
        .select('id')
        .where('name', '=', 'of ada')
        .where('revoked_at', 'is', null)
        .execute()
    ).length;

  it('says what a new password ends, and lets the person choose to revoke their keys', async () => {
    const { body } = await pageVisitor(http.server).get(path);
    expect(body).toContain('signs you out everywhere else and disconnects every client');
    expect(body).toMatch(/<input type="checkbox" id="endKeys" name="endKeys" value="true"\/>/);
  });

  it('confirms on the account page that the password was replaced', async () => {
    const browser = pageVisitor(http.server);
    const answer = await browser.submit(await browser.get(path), { password: other });
    expect(answer.statusCode).toBe(303);
    expect((await browser.get(answer.headers.location ?? '')).body).toContain('Password saved');
  });

  it('keeps the keys if the box is not checked', async () => {
    expect((await submit({ password: other })).statusCode).toBe(303);
    expect(await keys()).toBe(1);
  });

  it('revokes the keys if the box is checked', async () => {
    expect((await submit({ password: other, endKeys: 'true' })).statusCode).toBe(303);
    expect(await keys()).toBe(0);
  });

  describe('of a person without a password', () => {
    beforeEach(() => database.queries.updateTable('users').set({ password_hash: null }).execute());

    it('asks for a first password, and mentions none that would be replaced', async () => {
      const { body } = await pageVisitor(http.server).get(path);
      expect(body).toContain('Choose a password');
      expect(body).not.toMatch(/current one|Replacing|endKeys/);
    });

    it('leads from the first password to the start', async () => {
      const answer = await submit({ password: other });
      expect([answer.statusCode, answer.headers.location]).toEqual([303, '/']);
    });

    it('signs in once without a password, and confirms nothing', async () => {
      const browser = pageVisitor(http.server);
      await browser.submit(await browser.get(path), { password: '' });
      const account = await browser.get('/.auth/account');
      expect([account.statusCode, account.body.includes('Password saved')]).toEqual([200, false]);
      expect(account.body).toContain('Set a password');
    });
  });

  it.each([
    ['used', { used_at: 1 }, 410],
    ['expired', { expires_at: 1 }, 410],
  ])('offers to sign in, and says how to get a new link, if it is %s', async (_, state, status) => {
    await database.queries.updateTable('one_time_links').set(state).execute();
    const answer = await pageVisitor(http.server).get(path);
    expect(answer.statusCode).toBe(status);
    expect(answer.body).toMatch(/<a class="button" href="\/\.auth\/sign-in">Sign in<\/a>/);
    expect(answer.body).toContain('Ask the operator of this service for a new one');
    expect(answer.body).toContain('orgctx admin link --email EMAIL');
  });

  it('keeps the box checked and revokes nothing if the new password is refused', async () => {
    const answer = await submit({ password: 'short', endKeys: 'true' });
    expect([answer.statusCode, answer.body]).toEqual([
      400,
      expect.stringMatching(/name="endKeys"[^>]* checked/),
    ]);
    expect(await keys()).toBe(1);
    const again = pageVisitor(http.server);
    const session = await again.submit(await again.get('/.auth/sign-in'), { email, password });
    expect(session.statusCode).toBe(303);
  });
});
