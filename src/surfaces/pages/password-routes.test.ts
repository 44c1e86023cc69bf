import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts';
import type { TestHttp } from '../../../test/support/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../../test/support/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../test/support/pages.ts';
import type { UpstreamProvider } from '../../features/identity/upstream/upstream-provider.ts';

const email = 'ada@example.com';
const path = '/.auth/account/password';
/** Nobody goes there. */
const provider: UpstreamProvider = {
  issuer: 'https://login.example',
  host: 'login.example',
  allowedDomains: [],
  redirectUri: '',
  configuration: () => Promise.reject(new Error('asked')),
};

const other = 'another battery staple';

describe('the page of a password', () => {
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

  it('is linked from the account, and asks for the present one', async () => {
    expect((await browser.get('/.auth/account')).body).toContain(`href="${path}"`);
    expect((await browser.get(path)).body).toContain('name="current"');
  });

  it('leads whoever is not signed in to sign-in, and back', async () => {
    const answer = await pageVisitor(http.server).get(path);
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe(`/.auth/sign-in?returnTo=${encodeURIComponent(path)}`);
  });

  it('changes it: this browser goes on with another session, every other one is out', async () => {
    const elsewhere = await signedIn(password);
    const before = new Map(browser.cookies);
    const answer = await browser.submit(await browser.get(path), { current: password, password: other });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/.auth/account']);
    expect(browser.cookies).not.toEqual(before);
    expect(await lands(browser)).toBe(200);
    expect(await lands(elsewhere)).toBe(303);
    expect(await lands(await signedIn(password))).toBe(303);
    expect(await lands(await signedIn(other))).toBe(200);
  });

  it.each([
    [{ current: 'wrong horse battery', password: other }, 'current', 'That is not your present password.'],
    [{ current: '', password: other }, 'current', 'That is not your present password.'],
    [{ current: password, password: 'short' }, 'password', 'must be at least 12 characters'],
    [{ current: password, password: '' }, 'password', 'Choose a password.'],
  ])('says at the field what is wrong with %j', async (fields, at, words) => {
    const answer = await browser.submit(await browser.get(path), fields);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toMatch(new RegExp(`<a href="#${at}">[^<]*${words}`));
    expect(answer.body).not.toContain(other);
    expect(await lands(await signedIn(password))).toBe(200);
  });

  it('asks who has none for a new one alone', async () => {
    await database.queries.updateTable('users').set({ password_hash: null }).execute();
    const page = await browser.get(path);
    expect(page.body).not.toContain('name="current"');
    expect((await browser.submit(page, { password: other })).statusCode).toBe(303);
    expect(await lands(await signedIn(other))).toBe(200);
  });

  it('is none for who signs in at an identity provider, and one for who has a password beside it', async () => {
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
