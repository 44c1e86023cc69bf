import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { allowDeviceAsHost } from '../../../src/features/oauth/devices/allow-device-as-host.ts';
import { deviceGrant } from '../../../src/features/oauth/supported.ts';
import type { Clock } from '../../../src/foundation/kernel/clock.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import type { BrowserPage, HttpBrowser } from '../../support/http/http-browser.ts';
import { testAuthSecret } from '../../support/identity/authorization-server.ts';
import {
  type Name,
  openTestOauth,
  password,
  type TestClient,
  type TestOauth,
  type TokenAnswer,
} from '../../support/identity/oauth-http.ts';

interface Started {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
}

describeEachDatabase('the device flow (RFC 8628)', (open) => {
  const cli: TestClient = { client_id: 'orgctx-cli', redirectUri: '' };
  let ahead = 0;
  const clock: Clock = () => Date.now() + ahead;
  let service: TestOauth;

  beforeAll(async () => {
    service = await openTestOauth(await open(), { clock });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    ahead = 0;
    await service.database.queries.deleteFrom('attempts').execute();
  });

  const start = async ({ client_id }: TestClient = cli, scope?: string): Promise<Response> =>
    fetch(`${service.baseUrl}/.auth/device-authorization`, {
      method: 'POST',
      headers: { 'user-agent': 'a terminal' },
      body: new URLSearchParams({ client_id, ...(scope !== undefined && { scope }) }),
    });
  const started = async (client?: TestClient, scope?: string): Promise<Started> =>
    (await (await start(client, scope)).json()) as Started;
  const poll = ({ device_code }: Started, client: TestClient = cli): Promise<TokenAnswer> =>
    service.token(client, { grant_type: deviceGrant, device_code });
  const typeCode = async (browser: HttpBrowser, code: string): Promise<BrowserPage> =>
    browser.submit(await browser.open('/.auth/device'), { user_code: code });
  const signIn = (browser: HttpBrowser, page: BrowserPage, who: Name = 'ann'): Promise<BrowserPage> =>
    browser.submit(page, { email: service.people[who].email, password });
  const decide = async (code: string, decision: 'allow' | 'deny', who?: Name): Promise<BrowserPage> => {
    const browser = service.browser();
    const consentPage = await signIn(browser, await typeCode(browser, code), who);
    return browser.submit(consentPage, { organization: 'acme', decision });
  };

  it('does not let a page of another origin start one and read the answer', async () => {
    const headers = { origin: 'https://evil.example' };
    const body = new URLSearchParams({ client_id: 'orgctx-cli' });
    const answer = await fetch(`${service.baseUrl}/.auth/device-authorization`, {
      method: 'POST',
      headers,
      body,
    });
    const readers = answer.headers.get('access-control-allow-origin');
    expect([answer.status, readers]).toEqual([200, null]);
  });

  it('asks on one page, and issues a token for the organization chosen there', async () => {
    const device = await started();
    expect(device).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${service.baseUrl}/.auth/device`,
      verification_uri_complete: `${service.baseUrl}/.auth/device?user_code=${device.user_code}`,
      expires_in: 900,
    });
    expect((await poll(device)).body.error).toBe('authorization_pending');

    const browser = service.browser();
    const consentPage = await signIn(browser, await typeCode(browser, device.user_code));
    for (const expectedText of ['orgctx command line', device.user_code, '127.0.0.1', 'a terminal']) {
      expect(consentPage.html).toContain(expectedText);
    }
    const done = await browser.submit(consentPage, { organization: 'acme', decision: 'allow' });
    expect({ status: done.status, url: done.url }).toEqual({
      status: 200,
      url: `${service.baseUrl}/.auth/device/done?client=orgctx-cli`,
    });
    expect(done.html).toContain('orgctx command line');

    const { status, body } = await poll(device);
    expect({ status, scope: body['scope'] }).toEqual({ status: 200, scope: 'api' });
    expect(decodeJwt(body.access_token)).toMatchObject({
      org: service.organizations.acme,
      aud: [service.baseUrl, `${service.baseUrl}/mcp`],
    });
    expect(await service.use(body.access_token)).toEqual({ rest: 200, mcp: 403 });
    expect((await service.refresh(cli, body.refresh_token)).status).toBe(200);
    expect((await poll(device)).body.error).toBe('invalid_grant');
    expect((await service.use(body.access_token)).rest).toBe(401);
  });

  it('issues tokens once, for one of eight concurrent requests', async () => {
    const device = await started();
    await decide(device.user_code, 'allow');
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(device)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('reports a denial to the device', async () => {
    const device = await started();
    const page = await decide(device.user_code, 'deny');
    expect(page.html).toContain('The device will be notified');
    expect((await poll(device)).body.error).toBe('access_denied');
  });

  it('limits the first-party client to the scope api, and no other client', async () => {
    expect((await start(cli, 'mcp')).status).toBe(400);
    expect((await start(cli, 'api offline_access')).status).toBe(200);
    const other = await service.register();
    const device = await started(other, 'mcp api');
    await decide(device.user_code, 'allow');
    expect((await poll(device, other)).body['scope']).toBe('mcp api');
    const without = await service.register({ grant_types: ['authorization_code'] });
    expect((await start(without)).status).toBe(400);
  });

  it('does not let the first-party client start an authorization by redirect', async () => {
    const client = { ...cli, redirectUri: 'http://127.0.0.1:33418/callback' };
    const answer = await fetch(service.authorizationUrl(client).url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  it('accepts a code in any browser of the person, whichever of them opened it first', async () => {
    const device = await started();
    const [first, second, third] = [service.browser(), service.browser(), service.browser()];
    expect((await typeCode(first, device.user_code)).html).toContain('name="password"');
    await signIn(second, await typeCode(second, device.user_code));
    const consentPage = await signIn(third, await typeCode(third, device.user_code));
    const done = await third.submit(consentPage, { organization: 'acme', decision: 'allow' });
    expect([done.status, (await poll(device)).status]).toEqual([200, 200]);
  });

  it('accepts a code from the first person who signs in with it, and tells others why not', async () => {
    const device = await started();
    const [anns, bobs] = [service.browser(), service.browser()];
    const annsPage = await signIn(anns, await typeCode(anns, device.user_code));
    const refused = await signIn(bobs, await typeCode(bobs, device.user_code), 'bob');
    expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('Another person')]);
    expect(refused.html).not.toContain(device.user_code);
    expect((await poll(device)).body.error).toBe('authorization_pending');
    await anns.submit(annsPage, { organization: 'acme', decision: 'allow' });
    expect((await poll(device)).status).toBe(200);
  });

  it('accepts no code that was answered, has expired or does not exist', async () => {
    const device = await started();
    await decide(device.user_code, 'allow');
    const expiring = await started();
    const error = async (code: string) => (await typeCode(service.browser(), code)).status;
    expect(await error(device.user_code)).toBe(400);
    expect(await error('BCDF-GHJK')).toBe(400);
    ahead = 900_000;
    expect(await error(expiring.user_code)).toBe(400);
    expect((await poll(expiring)).body.error).toBe('expired_token');
  });

  it('accepts a code in lower case and without its dash', async () => {
    const device = await started();
    const page = await typeCode(service.browser(), ` ${device.user_code.toLowerCase().replace('-', ' ')} `);
    expect(page.html).toContain('name="password"');
  });

  it('only fills the field with a code from the URL', async () => {
    const device = await started();
    const browser = service.browser();
    const page = await browser.open(device.verification_uri_complete);
    expect(page.url).toBe(device.verification_uri_complete);
    expect(page.html).toContain(device.user_code);
    expect(page.html).not.toContain('<script');
    const hostile = await browser.open('/.auth/device?user_code=%22%3E%3Cscript%3Ealert(1)');
    expect([hostile.status, hostile.html.includes('<script')]).toEqual([200, false]);
    const twice = await browser.open('/.auth/device?user_code=ZZZZZZZZ&user_code=WWWWWWWW');
    expect([twice.status, /ZZZZ|WWWW/.test(twice.html)]).toEqual([200, false]);
  });

  it('accepts no form of another origin', async () => {
    const device = await started();
    const browser = service.browser();
    const { html } = await browser.open('/.auth/device');
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const post = async (form: Record<string, string>, headers: Record<string, string>, by = browser) =>
      (await by.send('/.auth/device', { method: 'POST', headers, body: new URLSearchParams(form) })).status;
    const good = { user_code: device.user_code, csrf };
    expect(await post(good, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await post(good, { 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await post(good, { origin: 'https://evil.example' })).toBe(403);
    expect(await post(good, { origin: 'null' })).toBe(403);
    expect(await post({ ...good, csrf: `${csrf}x` }, {})).toBe(403);
    expect(await post({ user_code: device.user_code }, {})).toBe(403);
    expect(await post(good, {}, service.browser())).toBe(403);
    expect(await post(good, { origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe(303);
  });

  it('limits guesses: one browser to ten codes, one network to thirty', async () => {
    const browser = service.browser();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await typeCode(browser, 'BCDF-GHJK')).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    const others: number[] = [];
    // Refused attempts count toward no other limit.
    for (let n = 0; n < 21; n += 1) others.push((await typeCode(service.browser(), 'BCDF-GHJK')).status);
    expect(others).toEqual([...Array(20).fill(400), 429]);
    const page = await typeCode(service.browser(), 'BCDF-GHJK');
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('tells a device that polls too often to slow down, and still issues its tokens', async () => {
    const device = await started();
    const answers: string[] = [];
    for (let n = 0; n < 9; n += 1) answers.push((await poll(device)).body.error);
    expect(answers).toEqual([...Array(8).fill('authorization_pending'), 'slow_down']);
    await decide(device.user_code, 'allow');
    expect((await poll(device)).status).toBe(200);
  });

  it('lets the operator of the host confirm a sign-in of orgctx login, and only that', async () => {
    const { database, organizations, people } = service;
    const deps = { database, clock, sealer: createSealer(testAuthSecret, 'orgctx/oauth/v1') };
    const decision = { userId: people.ann.userId, organizationId: organizations.acme };
    const device = await started();
    await allowDeviceAsHost(deps, device.user_code, decision);
    const { body } = await poll(device);
    expect(decodeJwt(body.access_token)).toMatchObject({ org: organizations.acme });
    expect(await service.use(body.access_token)).toEqual({ rest: 200, mcp: 403 });
    expect((await service.refresh(cli, body.refresh_token)).status).toBe(200);
    await expect(allowDeviceAsHost(deps, device.user_code, decision)).rejects.toThrow('No sign-in');

    const other = await service.register({
      grant_types: [deviceGrant],
      response_types: [],
      redirect_uris: [],
    });
    const foreign = await started(other);
    await expect(allowDeviceAsHost(deps, foreign.user_code, decision)).rejects.toThrow('No sign-in');
    const stranger = { ...decision, organizationId: organizations.globex };
    await expect(allowDeviceAsHost(deps, (await started()).user_code, stranger)).rejects.toThrow(
      'No sign-in',
    );
  });

  it('refuses the code of one client to another client', async () => {
    const device = await started();
    await decide(device.user_code, 'allow');
    const other = await service.register();
    expect((await poll(device, other)).body.error).toBe('invalid_grant');
    expect((await poll(device)).status).toBe(200);
  });
});
