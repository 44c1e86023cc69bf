import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actorOfSession } from '../../../src/features/identity/audit/audit.ts';
import { inviteMember } from '../../../src/features/identity/invitations/invite-member.ts';
import { ensureUser } from '../../../src/features/identity/people/user-store.ts';
import { createOneTimeLink } from '../../../src/features/identity/sign-in/one-time-link.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createCertificateAuthority } from '../../standins/certificate-authority.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { hasBrowser, type Person, signIn, signInAndAllow, useBrowser } from '../../support/http/chromium.ts';
import { expectAccessible, violations } from '../../support/http/violations.ts';
import { openTestOauth, password, type TestOauth } from '../../support/identity/oauth-http.ts';

/** The service runs in this process, from source; a real Chromium renders its pages over HTTP. */
describe.skipIf(!hasBrowser())('pages in a browser', () => {
  const browser = useBrowser();
  let database: TestDatabase;
  let service: TestOauth;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  const at = (path: string): string => service.baseUrl + path;

  async function signedIn(person: Person, who: 'ann' | 'bob' | 'gil'): Promise<Page> {
    const page = await person.newPage();
    await page.goto(at('/.auth/sign-in?returnTo=/.auth/account'));
    await signIn(page, { email: service.people[who].email, password });
    await page.waitForURL(at('/.auth/account'));
    return page;
  }

  async function authorization(redirectUri?: string): Promise<string> {
    const metadata = redirectUri === undefined ? {} : { redirect_uris: [redirectUri] };
    return service.authorizationUrl(await service.register({ client_name: 'Editor', ...metadata })).url;
  }

  async function linkPath(purpose: 'bootstrap' | 'sign-in', email?: string): Promise<string> {
    const user = email === undefined ? undefined : await ensureUser(database.queries, email, systemClock);
    const link = await createOneTimeLink(database.queries, { purpose, userId: user?.id }, systemClock);
    return `/.auth/link/${link.token}`;
  }

  async function invitationPath(email: string): Promise<string> {
    const scope = { organizationId: service.organizations.acme, orgSlug: 'acme' };
    const actor = actorOfSession(service.people.ann);
    const deps = { database, clock: systemClock };
    const { token } = await inviteMember(deps, scope, actor, { email, role: 'member' });
    return `/.auth/invitation/${token}`;
  }

  async function deviceCode(): Promise<string> {
    const { client_id } = await service.register({ client_name: 'Terminal' });
    const body = new URLSearchParams({ client_id, scope: 'mcp' });
    const answer = await fetch(at('/.auth/device-authorization'), { method: 'POST', body });
    return ((await answer.json()) as { user_code: string }).user_code;
  }

  interface PageCase {
    /** Opens the page and returns its status. */
    show(page: Page, person: Person): Promise<number | undefined>;
    readonly as?: 'ann' | 'bob' | 'gil';
  }

  const open = (path: string | (() => Promise<string>)): PageCase => ({
    show: async (page) => (await page.goto(at(typeof path === 'string' ? path : await path())))?.status(),
  });

  const pageCases: Readonly<Record<string, PageCase>> = {
    'sign-in': open('/.auth/sign-in'),
    'sign-in with errors': {
      async show(page) {
        await page.goto(at('/.auth/sign-in'));
        await page.locator('button').click();
        await page.locator('[role=alert]').waitFor();
        return 400;
      },
    },
    'first set-up': open(() => linkPath('bootstrap')),
    'first sign-in link': open(() => linkPath('sign-in', 'lin@example.com')),
    'sign-in link of a person with a password': open(() => linkPath('sign-in', service.people.bob.email)),
    'invalid link': open('/.auth/link/x'),
    'invitation of a new person': open(() => invitationPath(`a${Math.random()}@example.com`)),
    'invitation of a known person': open(() => invitationPath('lin@example.com')),
    'invitation of somebody else': { ...open(() => invitationPath('lin@example.com')), as: 'bob' },
    'invitation of the signed-in person': { ...open(() => invitationPath('gil@example.com')), as: 'gil' },
    'invalid invitation': open('/.auth/invitation/x'),
    account: { ...open('/.auth/account'), as: 'bob' },
    password: { ...open('/.auth/account/password'), as: 'bob' },
    consent: { show: async (page) => (await page.goto(await authorization()))?.status(), as: 'bob' },
    device: open('/.auth/device?user_code=BCDF-GHJK'),
    'device with an error': {
      async show(page) {
        await page.goto(at('/.auth/device'));
        await page.locator('input[name=user_code]').fill('ZZZZ-ZZZZ');
        await page.locator('input[name=user_code]').press('Enter');
        await page.locator('[role=alert]').waitFor();
        return 400;
      },
    },
    'consent of a device': {
      async show(page) {
        await page.goto(at(`/.auth/device?user_code=${await deviceCode()}`));
        await page.locator('button', { hasText: 'Continue' }).click();
        await page.locator('button[value=allow]').waitFor();
        return 200;
      },
      as: 'bob',
    },
    'end of a device': open('/.auth/device/done?client=x'),
    'unknown interaction': open('/.auth/interaction/x'),
    'unknown path': open('/nothing'),
    'invalid authorization': open('/.auth/authorize?client_id=x'),
  };

  it.each(Object.entries(pageCases))(
    '%s is accessible: narrow and dark, wide and light',
    async (_, { show, as }) => {
      const person = await browser.newPerson();
      const page = as === undefined ? await person.newPage() : await signedIn(person, as);
      const status = await show(page, person);
      if (status !== undefined && status >= 400) person.expectError(new RegExp(`status of ${status}`));
      await expectAccessible(page);
    },
  );

  it('moves the focus to the error message, which links to the wrong field', async () => {
    const person = await browser.newPerson();
    const page = await person.newPage();
    await page.goto(at('/.auth/sign-in'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.locator('button').click();
    await page.locator('[role=alert]').waitFor();
    // The script of the page may run after its text is shown.
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('alert');
    await page.locator('[role=alert] a').first().click();
    expect(await page.evaluate('document.activeElement.id')).toBe('email');
    person.expectError(/status of 400/);
  });

  it('signs in, shows the account, and signs out', async () => {
    const person = await browser.newPerson();
    const page = await signedIn(person, 'bob');
    expect(await page.locator('main').innerText()).toContain('globex');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(at('/.auth/sign-in'));
    await page.goto(at('/'));
    expect(page.url()).toContain('/.auth/sign-in');
  });

  it('gives every card of the account page the same space at the top and the bottom', async () => {
    const page = await signedIn(await browser.newPerson(), 'bob');
    const spaces = await page.locator('.card').evaluateAll((cards) =>
      cards.map((card) => {
        const { top, bottom } = card.getBoundingClientRect();
        const [first, last] = [card.firstElementChild, card.lastElementChild].map((child) =>
          child?.getBoundingClientRect(),
        );
        return [(first?.top ?? 0) - top, bottom - (last?.bottom ?? 0)].map(Math.round).join(' and ');
      }),
    );
    expect([spaces.length, new Set(spaces).size]).toEqual([6, 1]);
  });

  it('shows the authorized clients, and disconnects one immediately', async () => {
    const person = await browser.newPerson();
    const page = await signedIn(person, 'gil');
    const tokens = await service.connect(await service.register({ client_name: 'Old editor' }), {
      who: 'gil',
      organization: 'globex',
    });
    expect(await service.use(tokens.body.access_token, 'globex')).toEqual({ rest: 403, mcp: 200 });
    await page.reload();
    expect(await page.locator('main').innerText()).toContain('Old editor in globex');
    expect(await violations(page)).toEqual([]);
    await page.locator('button[aria-label="Disconnect Old editor"]').click();
    await page.locator('text=None. Clients that you allow').waitFor();
    expect((await service.use(tokens.body.access_token, 'globex')).mcp).toBe(401);
  });

  it('admits a new person by invitation', async () => {
    const person = await browser.newPerson();
    const page = await person.newPage();
    await page.goto(at(await invitationPath('nell@example.com')));
    await page.locator('input[name=password]').fill(password);
    await page.locator('button').click();
    await page.waitForURL(at('/app/acme'));
    expect(await page.locator('main').innerText()).toContain('acme');
  });

  it('connects a device, and says that the window can be closed', async () => {
    const person = await browser.newPerson();
    const page = await signedIn(person, 'bob');
    await page.goto(at('/.auth/device'));
    await page.locator('input[name=user_code]').fill((await deviceCode()).toLowerCase());
    await page.locator('input[name=user_code]').press('Enter');
    await page.locator('button[value=allow]').waitFor();
    expect(await page.locator('main').innerText()).toContain('Terminal');
    await page.locator('input[value=acme]').check();
    await page.locator('button[value=allow]').click();
    await page.waitForURL(/\/\.auth\/device\/done/);
    expect(await page.locator('main').innerText()).toContain('You can close this window');
  });

  describe('the redirect to a client', () => {
    const callbackUrls: string[] = [];
    /** Redirects of callbacks, by path. */
    const onward = new Map<string, string>();
    const callback: RequestListener = ({ url = '' }, response) => {
      callbackUrls.push(url);
      const location = onward.get(url.split('?', 1)[0] ?? '');
      if (location !== undefined) return void response.writeHead(302, { location }).end();
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><link rel="icon" href="data:,">back');
    };
    const authority = createCertificateAuthority();
    let clients: Record<'http' | 'https', Server>;

    beforeAll(async () => {
      clients = {
        http: createHttpServer(callback),
        https: createHttpsServer(authority.issue(['localhost']), callback),
      };
      for (const server of Object.values(clients)) {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      }
    });
    afterAll(() => {
      for (const server of Object.values(clients)) {
        server.closeAllConnections();
        server.close();
      }
    });

    const portOf = (server: Server): number => (server.address() as AddressInfo).port;
    const choice = () => ({ email: service.people.bob.email, password, organization: 'globex' });

    it.each(['http', 'https'] as const)('reaches a client that listens on %s', async (scheme) => {
      const origin = `${scheme}://${scheme === 'http' ? '127.0.0.1' : 'localhost'}:${portOf(clients[scheme])}`;
      const person = await browser.newPerson({ ignoreHTTPSErrors: true });
      const page = await person.newPage();
      await page.goto(await authorization(`${origin}/callback`));
      await signInAndAllow(page, choice());
      await page.waitForURL(`${origin}/callback**`);
      expect(await page.locator('body').innerText()).toBe('back');
      expect(callbackUrls.at(-1)).toMatch(/^\/callback\?code=[^&]+&.*state=the-state/);
    });

    it.each([true, false])(
      'follows a callback to another origin and from there to an app (script: %s)',
      async (javaScriptEnabled) => {
        const first = `http://127.0.0.1:${portOf(clients.http)}`;
        const second = `https://localhost:${portOf(clients.https)}`;
        onward.set('/relay', `${second}/to-app`).set('/to-app', 'editor.example:/done?code=relayed');
        const person = await browser.newPerson({ ignoreHTTPSErrors: true, javaScriptEnabled });
        const page = await person.newPage();
        await page.goto(await authorization(`${first}/relay`));
        const answer = page.waitForResponse((response) => response.url() === `${second}/to-app`);
        const allowed = signInAndAllow(page, choice()).catch(() => undefined);
        expect((await answer).headers()['location']).toBe('editor.example:/done?code=relayed');
        expect(callbackUrls.at(-2)).toMatch(/^\/relay\?code=[^&]+&.*state=the-state/);
        // The browser stays here, because nothing opens such links: the link of the page leads there again. It is opened
        // in another tab, because a click is lost while the browser still gives up on the first attempt.
        const visits = (): number => callbackUrls.filter((url) => url === '/to-app').length;
        const before = visits();
        const link = await page.getByRole('link', { name: 'Continue' }).getAttribute('href');
        const again = await person.newPage();
        void again.goto(new URL(link ?? '', page.url()).href).catch(() => undefined);
        await expect.poll(visits).toBeGreaterThan(before);
        await again.close();
        onward.clear();
        await page.close();
        await allowed;
      },
    );

    it.each([0, 10, 20, 40])('works when Allow is clicked twice, %i ms apart', async (delay) => {
      const origin = `http://127.0.0.1:${portOf(clients.http)}`;
      const person = await browser.newPerson();
      const page = await person.newPage();
      await page.goto(await authorization(`${origin}/callback`));
      await signIn(page, choice());
      await page.locator('input[value=globex]').check();
      const place = await page.locator('button[value=allow]').boundingBox();
      await page.mouse.dblclick((place?.x ?? 0) + 5, (place?.y ?? 0) + 5, { delay });
      // `waitForURL` would fail when the second click cancels the first response.
      await expect.poll(() => page.url()).toContain(`${origin}/callback?code=`);
    });

    it('reaches an app with a private-use scheme', async () => {
      const person = await browser.newPerson();
      const page = await person.newPage();
      await page.goto(await authorization('editor.example:/callback'));
      const answer = page.waitForResponse((response) =>
        (response.headers()['location'] ?? '').startsWith('editor.example:'),
      );
      const allowed = signInAndAllow(page, choice()).catch(() => undefined);
      expect((await answer).headers()['location']).toMatch(/^editor\.example:\/callback\?code=/);
      // Nothing opens such links here; the test checks that the policy allows the redirect (an error of the page
      // otherwise).
      await page.close();
      await allowed;
    });
  });
});
