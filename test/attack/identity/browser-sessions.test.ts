import { describe, expect, it } from 'vitest';
import { disableUser, ensureUser } from '../../../src/features/identity/people/user-store.ts';
import { createOneTimeLink } from '../../../src/features/identity/sign-in/one-time-link.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { pageVisitor } from '../../support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../support/http/pages.ts';

describe('a browser session', () => {
  const origin = 'https://ctx.example';

  async function opened() {
    const database = await openTestDatabase('sqlite');
    const http = await openTestPages(database, { baseUrl: origin });
    await openPerson(database, 'ada@example.com', [{ orgSlug: 'acme', role: 'owner' }]);
    const browser = pageVisitor(http.server);
    const signIn = async () =>
      browser.submit(await browser.get('/.auth/sign-in'), { email: 'ada@example.com', password });
    const close = async () => {
      await http.server.close();
      await database.close();
    };
    return { database, http, browser, signIn, close };
  }

  it('is kept in a cookie of this host only, which scripts cannot read', async () => {
    const { signIn, close } = await opened();
    const [cookie] = (await signIn()).cookies;
    expect(cookie).toMatchObject({
      name: '__Host-orgctx_session',
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
    });
    expect(cookie).not.toHaveProperty('domain');
    await close();
  });

  it('gives access to neither REST nor MCP', async () => {
    const { browser, signIn, http, close } = await opened();
    await signIn();
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const url of ['/acme/api/v1/repositories', '/acme/api/v1/audit']) {
      expect((await http.server.inject({ url, headers: { cookie } })).statusCode).toBe(401);
    }
    await close();
  });

  it('is never the one that the browser sent before sign-in (session fixation)', async () => {
    const { browser, signIn, close } = await opened();
    const planted = 'A'.repeat(43);
    browser.cookies.set('__Host-orgctx_session', planted);
    await signIn();
    expect(browser.cookies.get('__Host-orgctx_session')).not.toBe(planted);
    await close();
  });

  it('ends with signing out, including its copies', async () => {
    const { browser, signIn, http, close } = await opened();
    await signIn();
    const thief = pageVisitor(http.server);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    expect((await thief.get('/.auth/account')).statusCode).toBe(200);
    await browser.submit(await browser.get('/.auth/account'), {}, '/.auth/sign-out');
    expect(browser.cookies.has('__Host-orgctx_session')).toBe(false);
    expect((await thief.get('/.auth/account')).statusCode).toBe(303);
    await close();
  });

  it('of a disabled user ends at once', async () => {
    const { browser, signIn, database, close } = await opened();
    await signIn();
    const { id } = await ensureUser(database.queries, 'ada@example.com', systemClock);
    await disableUser(database.queries, id, Date.now());
    expect((await browser.get('/.auth/account')).headers.location).toContain('/.auth/sign-in');
    await close();
  });

  it('does not start when a one-time link is only opened, however often', async () => {
    const { browser, database, close } = await opened();
    const { id: userId } = await ensureUser(database.queries, 'ada@example.com', systemClock);
    const { token } = await createOneTimeLink(database.queries, { purpose: 'sign-in', userId }, systemClock);
    await browser.get(`/.auth/link/${token}`);
    const page = await browser.get(`/.auth/link/${token}`);
    expect(page.body).toContain('ada@example.com');
    expect(browser.cookies.has('__Host-orgctx_session')).toBe(false);
    expect((await browser.submit(page)).statusCode).toBe(303);
    expect(browser.cookies.has('__Host-orgctx_session')).toBe(true);
    expect((await browser.get(`/.auth/link/${token}`)).statusCode).toBe(410);
    await close();
  });

  it('does not start by guessing: the page says when to retry and does not disclose which accounts exist', async () => {
    const { browser, close } = await opened();
    const answers = new Map<string, string>();
    for (const email of ['ada@example.com', 'nobody@example.com']) {
      const page = await browser.submit(await browser.get('/.auth/sign-in'), { email, password: 'wrong' });
      expect(page.statusCode).toBe(403);
      answers.set(email, page.body.replaceAll(email, ''));
    }
    expect(new Set(answers.values()).size).toBe(1);
    let answer = await browser.get('/.auth/sign-in');
    for (let attempt = 0; attempt < 11 && answer.statusCode !== 429; attempt += 1) {
      const page = await browser.get('/.auth/sign-in');
      answer = await browser.submit(page, { email: 'ada@example.com', password: 'wrong' });
    }
    expect(answer.statusCode).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.body).toContain('role="alert"');
    await close();
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
  ])('starts without a redirect to %s (RFC 9700 4.11)', async (returnTo) => {
    const { browser, close } = await opened();
    const page = await browser.get(`/.auth/sign-in?returnTo=${encodeURIComponent(returnTo)}`);
    const credentials = { email: 'ada@example.com', password, returnTo };
    expect((await browser.submit(page, credentials)).headers.location).toBe('/');
    const again = await browser.get(`/.auth/sign-in?returnTo=${encodeURIComponent(returnTo)}`);
    expect(again.headers.location).toBe('/');
    await close();
  });
});
