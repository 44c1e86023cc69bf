import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actorOfSession } from '../../src/features/identity/audit/audit.ts';
import { inviteMember } from '../../src/features/identity/invitations/invite-member.ts';
import { ensureUser } from '../../src/features/identity/people/user-store.ts';
import { createOneTimeLink } from '../../src/features/identity/sign-in/one-time-link.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { createCertificateAuthority } from '../standins/certificate-authority.ts';
import { hasBrowser, type Person, signIn, signInAndAllow, useBrowser } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openTestOauth, password, type TestOauth } from '../support/oauth-http.ts';

/** The service runs in this process, from source; its pages are drawn by a real Chromium over real HTTP. */
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
    await page.goto(at('/.auth/sign-in'));
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

  interface Shown {
    /** How to get there; gives the status that the page has. */
    show(page: Page, person: Person): Promise<number | undefined>;
    readonly as?: 'ann' | 'bob' | 'gil';
  }

  const open = (path: string | (() => Promise<string>)): Shown => ({
    show: async (page) => (await page.goto(at(typeof path === 'string' ? path : await path())))?.status(),
  });

  const shown: Readonly<Record<string, Shown>> = {
    'sign-in': open('/.auth/sign-in'),
    'sign-in with faults': {
      async show(page) {
        await page.goto(at('/.auth/sign-in'));
        await page.locator('button').click();
        await page.locator('[role=alert]').waitFor();
        return 400;
      },
    },
    'first set-up': open(() => linkPath('bootstrap')),
    'sign-in link': open(() => linkPath('sign-in', 'lin@example.com')),
    'dead link': open('/.auth/link/x'),
    'invitation of a newcomer': open(() => invitationPath(`a${Math.random()}@example.com`)),
    'invitation of a known person': open(() => invitationPath('lin@example.com')),
    'invitation of somebody else': { ...open(() => invitationPath('lin@example.com')), as: 'bob' },
    'invitation of the one who looks': { ...open(() => invitationPath('gil@example.com')), as: 'gil' },
    'dead invitation': open('/.auth/invitation/x'),
    account: { ...open('/.auth/account'), as: 'bob' },
    password: { ...open('/.auth/account/password'), as: 'bob' },
    consent: { show: async (page) => (await page.goto(await authorization()))?.status(), as: 'bob' },
    device: open('/.auth/device?user_code=BCDF-GHJK'),
    'device with a fault': {
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
        await page.locator('button', { hasText: 'Go on' }).click();
        await page.locator('button[value=allow]').waitFor();
        return 200;
      },
      as: 'bob',
    },
    'end of a device': open('/.auth/device/done?client=x'),
    'nothing there': open('/.auth/interaction/x'),
    'authorization that cannot begin': open('/.auth/authorize?client_id=x'),
  };

  const looks = [320, 1280].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  );

  it.each(Object.entries(shown))(
    '%s is for everybody: narrow and wide, light and dark',
    async (_, { show, as }) => {
      const person = await browser.newPerson();
      const page = as === undefined ? await person.newPage() : await signedIn(person, as);
      const status = await show(page, person);
      if (status !== undefined && status >= 400) person.expectFault(new RegExp(`status of ${status}`));
      for (const { width, colorScheme } of looks) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        expect(await violations(page), `${width} px, ${colorScheme}`).toEqual([]);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, `${width} px wide`).toBeLessThanOrEqual(0);
      }
    },
  );

  it('says what is wrong where the eye and the focus are, and takes the keyboard from there', async () => {
    const person = await browser.newPerson();
    const page = await person.newPage();
    await page.goto(at('/.auth/sign-in'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.locator('button').click();
    await page.locator('[role=alert]').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('alert');
    await page.locator('[role=alert] a').first().click();
    expect(await page.evaluate('document.activeElement.id')).toBe('email');
    person.expectFault(/status of 400/);
  });

  it('signs in, shows the account, and signs out', async () => {
    const person = await browser.newPerson();
    const page = await signedIn(person, 'bob');
    expect(await page.locator('main').innerText()).toContain('globex');
    await page.locator('header button').click();
    await page.waitForURL(at('/.auth/sign-in'));
    await page.goto(at('/'));
    expect(page.url()).toContain('/.auth/sign-in');
  });

  it('shows the clients that were let in, and ends one with the next request', async () => {
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
    await page.locator('button[aria-label="End the connection of Old editor"]').click();
    await page.locator('text=None. Those that you allow').waitFor();
    expect((await service.use(tokens.body.access_token, 'globex')).mcp).toBe(401);
  });

  it('lets a newcomer in by invitation', async () => {
    const person = await browser.newPerson();
    const page = await person.newPage();
    await page.goto(at(await invitationPath('nell@example.com')));
    await page.locator('input[name=password]').fill(password);
    await page.locator('button').click();
    await page.waitForURL(at('/.auth/account'));
    expect(await page.locator('main').innerText()).toContain('acme');
  });

  it('connects a device, and says that the window may be closed', async () => {
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

  describe('the way back to a client', () => {
    const answered: string[] = [];
    const callback: RequestListener = ({ url = '' }, response) => {
      answered.push(url);
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

    it.each(['http', 'https'] as const)('leads over %s to where it listens', async (scheme) => {
      const origin = `${scheme}://${scheme === 'http' ? '127.0.0.1' : 'localhost'}:${portOf(clients[scheme])}`;
      const person = await browser.newPerson({ ignoreHTTPSErrors: true });
      const page = await person.newPage();
      await page.goto(await authorization(`${origin}/callback`));
      await signInAndAllow(page, choice());
      await page.waitForURL(`${origin}/callback**`);
      expect(await page.locator('body').innerText()).toBe('back');
      expect(answered.at(-1)).toMatch(/^\/callback\?code=[^&]+&.*state=the-state/);
    });

    it.each([0, 10, 20, 40])('leads there when Allow is clicked twice, %i ms apart', async (delay) => {
      const origin = `http://127.0.0.1:${portOf(clients.http)}`;
      const person = await browser.newPerson();
      const page = await person.newPage();
      await page.goto(await authorization(`${origin}/callback`));
      await signIn(page, choice());
      await page.locator('input[value=globex]').check();
      const place = await page.locator('button[value=allow]').boundingBox();
      await page.mouse.dblclick((place?.x ?? 0) + 5, (place?.y ?? 0) + 5, { delay });
      // Not `waitForURL`, which gives up when the second click throws the first answer away.
      await expect.poll(() => page.url(), { timeout: 10_000 }).toContain(`${origin}/callback?code=`);
    });

    it('leads to the app of a private-use scheme', async () => {
      const person = await browser.newPerson();
      const page = await person.newPage();
      await page.goto(await authorization('editor.example:/callback'));
      const answer = page.waitForResponse((response) =>
        (response.headers()['location'] ?? '').startsWith('editor.example:'),
      );
      const allowed = signInAndAllow(page, choice()).catch(() => undefined);
      expect((await answer).headers()['location']).toMatch(/^editor\.example:\/callback\?code=/);
      // Nothing opens such links here; what counts is that the policy did not stop it (a fault of the page otherwise).
      await page.close();
      await allowed;
    });
  });

  async function violations(page: Page): Promise<readonly string[]> {
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
    const run = 'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })';
    const result = (await page.evaluate(run)) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    return result.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }
});
