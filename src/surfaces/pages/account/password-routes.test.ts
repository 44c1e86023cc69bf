import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';
import type { UpstreamProvider } from '../../../features/identity/upstream/upstream-provider.ts';

const email = 'ada@example.com';
const path = '/.auth/account/password';
/** An identity provider that is never called. */
const provider: UpstreamProvider = {
  issuer: 'https://login.example',
  host: 'login.example',
  allowedDomains: [],
  redirectUri: '',
  configuration: () => Promise.reject(new Error('asked')),
};

const other = 'another battery staple';

describe('the password page', () => {
  let database: TestDatabase;
  let http: TestHttp;
  let browser: PageVisitor;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
    await openPerson(database, email, [{ orgSlug: 'acme', role: 'owner' }]);
    browser = await signedIn(password);
  });
  afterEach(async () => {
    await http.server.close();
    await database.close();
  });

  async function signedIn(typed: string): Promise<PageVisitor> {
    const visitor = pageVisitor(http.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password: typed });
    return visitor;
  }
  const lands = async (visitor: PageVisitor) => (await visitor.get('/.auth/account')).statusCode;

  it('is linked from the account page, and asks for the current password', async () => {
    expect((await browser.get('/.auth/account')).body).toContain(`href="${path}"`);
    expect((await browser.get(path)).body).toContain('name="current"');
  });

  it('redirects a person who is not signed in to the sign-in page, and back', async () => {
    const answer = await pageVisitor(http.server).get(path);
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe(`/.auth/sign-in?returnTo=${encodeURIComponent(path)}`);
  });

  it('changes the password, gives this browser a new session and ends all others', async () => {
    const elsewhere = await signedIn(password);
    const before = new Map(browser.cookies);
    const answer = await browser.submit(await browser.get(path), { current: password, password: other });
    expect(answer.statusCode).toBe(303);
    expect((await browser.get(answer.headers.location ?? '')).body).toContain('Password saved');
    expect(browser.cookies).not.toEqual(before);
    expect(await lands(browser)).toBe(200);
    expect(await lands(elsewhere)).toBe(303);
    expect(await lands(await signedIn(password))).toBe(303);
    expect(await lands(await signedIn(other))).toBe(200);
  });

  it.each([
    [{ current: 'wrong horse battery', password: other }, 'current', 'The current password is wrong.'],
    [{ current: '', password: other }, 'current', 'The current password is wrong.'],
    [{ current: password, password: 'short' }, 'password', 'must be at least 12 characters'],
    [{ current: password, password: '' }, 'password', 'Choose a password.'],
  ])('shows the error at the field for %j', async (fields, at, words) => {
    const answer = await browser.submit(await browser.get(path), fields);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toMatch(new RegExp(`<a href="#${at}">[^<]*${words}`));
    expect(answer.body).not.toContain(other);
    expect(await lands(await signedIn(password))).toBe(200);
  });

  it('asks only for a new password if the person has none', async () => {
    await database.queries.updateTable('users').set({ password_hash: null }).execute();
    const page = await browser.get(path);
    expect(page.body).not.toContain('name="current"');
    expect((await browser.submit(page, { password: other })).statusCode).toBe(303);
    expect(await lands(await signedIn(other))).toBe(200);
  });

  it('exists only for persons with a password if there is an identity provider', async () => {
    await http.server.close();
    http = await openTestPages(database, { provider });
    browser = await signedIn(password);
    const page = await browser.get(path);
    expect(page.statusCode).toBe(200);
    await database.queries.updateTable('users').set({ password_hash: null }).execute();
    expect((await browser.get(path)).statusCode).toBe(404);
    expect((await browser.get('/.auth/account')).body).not.toContain(path);
    expect((await browser.submit(page, { password: other })).statusCode).toBe(404);
    expect(await lands(await signedIn(other))).toBe(303);
  });
});
