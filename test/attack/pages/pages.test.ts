import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actorOfSession } from '../../../src/features/identity/audit/audit.ts';
import { inviteMember } from '../../../src/features/identity/invitations/invite-member.ts';
import { ensureUser } from '../../../src/features/identity/people/user-store.ts';
import { createOneTimeLink } from '../../../src/features/identity/sign-in/one-time-link.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import type { BrowserPage, HttpBrowser } from '../../support/http/http-browser.ts';
import { formOf, ownForm } from '../../support/http/page-visitor.ts';
import {
  type Name,
  openTestOauth,
  password,
  type TestClient,
  type TestOauth,
} from '../../support/identity/oauth-http.ts';

const hostile = `"'><script>alert(1)</script>\u202E`;

describe('attacks on pages', () => {
  let database: TestDatabase;
  let service: TestOauth;
  let newcomers = 0;
  let client: Promise<TestClient> | undefined;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  const open = (path: string, browser: HttpBrowser = service.browser()) => browser.open(path);
  const post = (
    browser: HttpBrowser,
    path: string,
    body: BodyInit,
    headers: Record<string, string> = ownForm,
  ) => browser.send(path, { method: 'POST', headers, body });
  const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields);

  async function signedIn(who: Name): Promise<HttpBrowser> {
    const browser = service.browser();
    const page = await browser.open('/.auth/sign-in');
    const signedInPage = await browser.submit(page, { email: service.people[who].email, password });
    expect(signedInPage.html).toContain(`Signed in as ${service.people[who].email}`);
    return browser;
  }

  /**
   * One client for all tests, since registrations are counted. A test with metadata of its own registers its own
   * client.
   */
  async function clientWith(metadata?: Readonly<Record<string, unknown>>): Promise<TestClient> {
    if (metadata !== undefined) return service.register(metadata);
    client ??= service.register();
    return client;
  }

  async function openConsent(
    browser: HttpBrowser,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<BrowserPage> {
    const { url } = service.authorizationUrl(await clientWith(metadata));
    const page = await browser.open(url);
    expect(page.html).toContain('name="decision"');
    return page;
  }

  async function grants(): Promise<number> {
    return (await database.queries.selectFrom('oauth_grants').select('id').execute()).length;
  }

  async function linkFor(purpose: 'bootstrap' | 'sign-in', email?: string): Promise<string> {
    const user = email === undefined ? undefined : await ensureUser(database.queries, email, systemClock);
    const link = await createOneTimeLink(database.queries, { purpose, userId: user?.id }, systemClock);
    return `/.auth/link/${link.token}`;
  }

  async function invitationFor(email: string): Promise<string> {
    const scope = { organizationId: service.organizations.acme, orgSlug: 'acme' };
    const invitation = { email, role: 'member' } as const;
    const deps = { database, clock: systemClock };
    const { token } = await inviteMember(deps, scope, actorOfSession(service.people.ann), invitation);
    return `/.auth/invitation/${token}`;
  }

  /** Opens each form of the pages in a browser that shows it, with the fields that a person would send. */
  const forms: Readonly<
    Record<string, () => Promise<readonly [HttpBrowser, BrowserPage, Record<string, string>]>>
  > = {
    'sign-in (login CSRF)': async () => {
      const browser = service.browser();
      return [browser, await open('/.auth/sign-in', browser), { email: service.people.ann.email, password }];
    },
    'sign-in by a link': async () => {
      const browser = service.browser();
      return [browser, await open(await linkFor('sign-in', 'lin@example.com'), browser), {}];
    },
    bootstrap: async () => {
      const browser = service.browser();
      const fields = { email: 'eve@example.com', password, orgSlug: 'eve', orgName: 'Eve' };
      return [browser, await open(await linkFor('bootstrap'), browser), fields];
    },
    'joining by invitation': async () => {
      const browser = service.browser();
      return [
        browser,
        await open(await invitationFor(`new-${(newcomers += 1)}@example.com`), browser),
        { password },
      ];
    },
    consent: async () => {
      const browser = await signedIn('ann');
      return [browser, await openConsent(browser), { organization: 'acme', decision: 'allow' }];
    },
    denial: async () => {
      const browser = await signedIn('ann');
      return [browser, await openConsent(browser), { decision: 'deny' }];
    },
    'ending a grant': async () => {
      const browser = await signedIn('gil');
      await service.connect(await clientWith(), { who: 'gil', organization: 'globex' });
      return [browser, await open('/.auth/account', browser), {}];
    },
    'another password': async () => {
      const browser = service.browser();
      await browser.submit(await open(await linkFor('sign-in', 'pat@example.com'), browser), {});
      return [browser, await open('/.auth/account/password', browser), { password }];
    },
    'sign-out': async () => {
      const browser = await signedIn('bob');
      return [browser, await open('/.auth/account', browser), {}];
    },
  };

  async function done(): Promise<unknown> {
    const { queries } = database;
    const count = async (table: 'sessions' | 'oauth_grants' | 'memberships') =>
      (await queries.selectFrom(table).selectAll().execute()).length;
    const used = await queries
      .selectFrom('one_time_links')
      .select('used_at')
      .where('used_at', 'is not', null)
      .execute();
    const decided = await queries
      .selectFrom('oauth_objects')
      .select('key')
      .where('consumed_at', 'is not', null)
      .execute();
    const held = await queries
      .selectFrom('oauth_grants')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute();
    return [
      await queries.selectFrom('users').select(['id', 'password_hash']).orderBy('id').execute(),
      await count('sessions'),
      await count('oauth_grants'),
      await count('memberships'),
      used.length,
      decided.length,
      held.length,
    ];
  }

  describe.each(Object.entries(forms))('RFC 6749 10.12, RFC 9700 4.7: the form of %s', (_, openForm) => {
    let browser: HttpBrowser;
    let page: BrowserPage;
    let fields: Record<string, string>;
    let action: string;
    let before: unknown;

    beforeAll(async () => {
      let more: Record<string, string>;
      [browser, page, more] = await openForm();
      const own = formOf(page.html);
      fields = { ...own.fields, ...more };
      action = own.action;
      before = await done();
    });

    async function expectRefused(answer: Response): Promise<void> {
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('Nothing was changed');
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(await done()).toEqual(before);
    }

    it('is refused without its token', async () => {
      const { csrf: _csrf, ...bare } = fields;
      await expectRefused(await post(browser, action, form(bare)));
    });

    it('is refused with the token of another form', async () => {
      const other = formOf((await open('/.auth/sign-in')).html).fields['csrf'] ?? '';
      await expectRefused(await post(browser, action, form({ ...fields, csrf: other })));
    });

    it('is refused in another browser', async () => {
      const another = service.browser();
      await another.open('/.auth/sign-in');
      await expectRefused(await post(another, action, form(fields)));
    });

    it.each<Record<string, string>>([
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site' },
    ])('is refused with %j', async (headers) => {
      await expectRefused(await post(browser, action, form(fields), headers));
    });

    it('is accepted from its own page, and redirects with 303 (RFC 9700 4.12)', async () => {
      const answer = await post(browser, action, form(fields));
      // A user exists already, so bootstrapping is refused for that reason.
      expect(answer.status).toBe(action.includes('/link/') && 'orgSlug' in fields ? 409 : 303);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      if (answer.status === 303) expect(await done()).not.toEqual(before);
    });
  });

  describe('consent', () => {
    it('is refused with the token of another interaction', async () => {
      const browser = await signedIn('ann');
      const first = formOf((await openConsent(browser)).html);
      const second = formOf((await openConsent(browser)).html);
      const before = await grants();
      const answer = await post(
        browser,
        second.action,
        form({ csrf: first.fields['csrf'] ?? '', organization: 'acme', decision: 'allow' }),
      );
      expect(answer.status).toBe(403);
      expect(await grants()).toBe(before);
    });

    it('is refused after another user has signed in at that browser', async () => {
      const browser = await signedIn('bob');
      const { action, fields } = formOf((await openConsent(browser)).html);
      const account = await browser.open('/.auth/account');
      const out = formOf(account.html);
      await post(browser, out.action, form(out.fields));
      const page = await browser.open('/.auth/sign-in');
      await browser.submit(page, { email: service.people.ann.email, password });
      const before = await grants();
      const answer = await post(
        browser,
        action,
        form({ ...fields, organization: 'acme', decision: 'allow' }),
      );
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain(`href="${action}"`);
      expect(await grants()).toBe(before);
    });

    it('asks to sign in again once the session has ended', async () => {
      const browser = await signedIn('ann');
      const page = await openConsent(browser);
      await database.queries.deleteFrom('sessions').execute();
      const answer = await browser.open(page.url);
      expect(answer.url).toContain('/.auth/sign-in?returnTo=%2F.auth%2Finteraction%2F');
    });

    it.each([
      ['a foreign organization', 'globex'],
      ['one that does not exist', 'nowhere'],
      ['none', ''],
      ['an id', '00000000-0000-7000-8000-000000000000'],
      ['prototype words', '__proto__'],
    ])('grants nothing for %s, and asks again', async (_, organization) => {
      const browser = await signedIn('ann');
      const before = await grants();
      const page = await browser.submit(await openConsent(browser), { organization, decision: 'allow' });
      expect(page.status).toBe(400);
      expect(page.html).toContain('Choose one of your organizations.');
      expect(page.html).not.toContain('globex');
      expect(await grants()).toBe(before);
    });

    it('grants nothing when only an organization is chosen', async () => {
      const browser = await signedIn('bob');
      const before = await grants();
      const page = await browser.submit(await openConsent(browser), { organization: 'globex' });
      expect(page.status).toBe(200);
      expect(page.html).toMatch(/value="globex" checked/);
      expect(await grants()).toBe(before);
    });

    it('cannot be opened from another browser', async () => {
      const page = await openConsent(await signedIn('ann'));
      const otherBrowser = await signedIn('ann');
      const answer = await otherBrowser.open(page.url);
      expect(answer.status).toBe(404);
      expect(answer.html).toContain('was already answered');
    });

    it('shows hostile names of client and organization as text (6749 3.1)', async () => {
      await database.queries
        .updateTable('organizations')
        .set({ name: hostile })
        .where('slug', '=', 'acme')
        .execute();
      const browser = await signedIn('bob');
      const { html } = await openConsent(browser, { client_name: hostile });
      await database.queries
        .updateTable('organizations')
        .set({ name: 'Acme' })
        .where('slug', '=', 'acme')
        .execute();
      expect(html).not.toContain('<script');
      expect(html).not.toContain('\u202E');
      expect(html.match(/&lt;script/g)?.length).toBeGreaterThanOrEqual(2);
    });
  });

  describe('every page', () => {
    const pages: readonly (readonly [string, () => Promise<string>])[] = [
      ['sign-in', async () => '/.auth/sign-in'],
      ['a dead link', async () => '/.auth/link/x'],
      ['a live link', () => linkFor('sign-in', 'ann@example.com')],
      ['a dead invitation', async () => '/.auth/invitation/x'],
      ['no interaction', async () => '/.auth/interaction/x'],
      ['no identity provider', async () => '/.auth/upstream'],
      ['the device page', async () => '/.auth/device'],
      ['a device page with a code', async () => '/.auth/device?user_code=%22%3E%3Cscript%3E'],
      ['the end of a device', async () => '/.auth/device/done?client=%3Cscript%3E'],
      [
        'an authorization that cannot start',
        async () => '/.auth/authorize?client_id=%3Cscript%3E&state=%3Cscript%3E',
      ],
    ];

    it.each(pages)(
      'RFC 9700 4.16, 4.2: %s cannot be framed or cached, and runs no script',
      async (_, path) => {
        const answer = await service.browser().send(await path());
        const html = await answer.text();
        expect(answer.status).toBeLessThan(500);
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(answer.headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; style-src 'self'; .*form-action 'self'; frame-ancestors 'none'$/,
        );
        expect(answer.headers.get('x-frame-options')).toBe('DENY');
        expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(html).not.toMatch(/<script|<style| style=| on\w+=/i);
      },
    );

    it('cannot be framed when it signs in or asks for consent', async () => {
      const browser = await signedIn('ann');
      for (const { headers } of [await openConsent(browser), await browser.open('/.auth/account')]) {
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
        expect(headers.get('x-frame-options')).toBe('DENY');
      }
    });
  });

  describe('a submitted form', () => {
    it('must be urlencoded and of limited size, with each field once', async () => {
      const browser = service.browser();
      const { action, fields } = formOf((await open('/.auth/sign-in', browser)).html);
      const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
      const text = form(fields).toString();
      const status = async (body: BodyInit, headers: Record<string, string>) =>
        (await post(browser, action, body, { ...ownForm, ...headers })).status;
      expect(await status(JSON.stringify(fields), { 'content-type': 'application/json' })).toBe(415);
      expect(await status('', {})).toBe(415);
      expect(await status(`${text}&email=a%40b&email=c%40d`, urlencoded)).toBe(400);
      expect(await status(`${text}&csrf=x`, urlencoded)).toBe(400);
      const headers = { ...ownForm, ...urlencoded };
      const nul = await post(browser, action, `${text}&email=a%00`, headers);
      expect(await nul.text()).toContain('a NUL character, which no field accepts');
      expect(await status(`${text}&email=${'x'.repeat(400_000)}`, urlencoded)).toBe(413);
      expect((await post(browser, '/.auth/device', 'x'.repeat(17_000), headers)).status).toBe(413);
    });

    const values = [
      '',
      '\u202E',
      hostile,
      'x'.repeat(9_000),
      '%',
      '\r\nSet-Cookie: a=b',
      '\uD800',
      '{}',
      "' or 1=1--",
    ];
    const names = [
      'email',
      'password',
      'returnTo',
      'organization',
      'decision',
      'orgSlug',
      'orgName',
      '__proto__',
      'a[]',
      'a[b]',
    ];

    it.each(Object.keys(forms))('causes no server error and is not shown as markup: %s', async (name) => {
      const [browser, page, validFields] = await (forms[name] as (typeof forms)[string])();
      const { action, fields } = formOf(page.html);
      for (const field of names) {
        for (const value of values) {
          // Each attempt costs a password hash, and after a few the network is blocked.
          if (name === 'sign-in (login CSRF)' && value !== hostile) continue;
          const answer = await post(browser, action, form({ ...fields, ...validFields, [field]: value }));
          const html = await answer.text();
          expect([field, value, answer.status]).toEqual([
            field,
            value,
            expect.toSatisfy((s: number) => s < 500),
          ]);
          expect(html).not.toContain('<script');
          expect(answer.headers.get('a')).toBeNull();
        }
      }
    });
  });
});
