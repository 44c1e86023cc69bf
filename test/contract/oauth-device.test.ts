import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { deviceGrant } from '../../src/features/oauth/supported.ts';
import type { Clock } from '../../src/foundation/kernel/clock.ts';
import { describeEachDatabase } from '../support/databases.ts';
import type { BrowserPage, HttpBrowser } from '../support/http-browser.ts';
import {
  type Name,
  openTestOauth,
  password,
  type TestClient,
  type TestOauth,
  type TokenAnswer,
} from '../support/oauth-http.ts';

interface Started {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
}

describeEachDatabase('a device (RFC 8628)', (open) => {
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
    const asked = await signIn(browser, await typeCode(browser, code), who);
    return browser.submit(asked, { organization: 'acme', decision });
  };

  it('is nothing that a page of another origin may read the beginning of', async () => {
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

  it('is asked about on the one page, and gets a token for the organization chosen there', async () => {
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
    const asked = await signIn(browser, await typeCode(browser, device.user_code));
    for (const shown of ['orgctx command line', device.user_code, '127.0.0.1', 'a terminal']) {
      expect(asked.html).toContain(shown);
    }
    const done = await browser.submit(asked, { organization: 'acme', decision: 'allow' });
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

  it('gets its token once, of eight that ask at the same moment', async () => {
    const device = await started();
    await decide(device.user_code, 'allow');
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(device)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('that is denied is told so', async () => {
    const device = await started();
    const page = await decide(device.user_code, 'deny');
    expect(page.html).toContain('The device has been told');
    expect((await poll(device)).body.error).toBe('access_denied');
  });

  it('of the first-party client may ask for api only; others for anything', async () => {
    expect((await start(cli, 'mcp')).status).toBe(400);
    expect((await start(cli, 'api offline_access')).status).toBe(200);
    const other = await service.register();
    const device = await started(other, 'mcp api');
    await decide(device.user_code, 'allow');
    expect((await poll(device, other)).body['scope']).toBe('mcp api');
    const without = await service.register({ grant_types: ['authorization_code'] });
    expect((await start(without)).status).toBe(400);
  });

  it('may not begin an authorization by redirect as the first-party client', async () => {
    const client = { ...cli, redirectUri: 'http://127.0.0.1:33418/callback' };
    const answer = await fetch(service.authorizationUrl(client).url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  it('is answered in the browser where its code was typed first, and nowhere else', async () => {
    const device = await started();
    const first = service.browser();
    const asked = await typeCode(first, device.user_code);
    const second = service.browser();
    const refused = await typeCode(second, device.user_code);
    expect([refused.status, refused.html.includes('not valid')]).toEqual([400, true]);
    const again = await typeCode(first, device.user_code);
    expect(again.html).toContain('name="password"');
    const page = await signIn(first, asked);
    await first.submit(page, { organization: 'acme', decision: 'allow' });
    expect((await poll(device)).status).toBe(200);
  });

  it('has a code that leads nowhere once it is answered, expired or was never given', async () => {
    const device = await started();
    await decide(device.user_code, 'allow');
    const late = await started();
    const fault = async (code: string) => (await typeCode(service.browser(), code)).status;
    expect(await fault(device.user_code)).toBe(400);
    expect(await fault('BCDF-GHJK')).toBe(400);
    ahead = 900_000;
    expect(await fault(late.user_code)).toBe(400);
    expect((await poll(late)).body.error).toBe('expired_token');
  });

  it('has a code that may be typed in small letters and without its dash', async () => {
    const device = await started();
    const page = await typeCode(service.browser(), ` ${device.user_code.toLowerCase().replace('-', ' ')} `);
    expect(page.html).toContain('name="password"');
  });

  it('has a code that only fills the field when it comes with the address', async () => {
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

  it('takes no form from elsewhere', async () => {
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

  it('cannot be guessed for long: one browser is stopped after ten codes, one network after thirty', async () => {
    const browser = service.browser();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await typeCode(browser, 'BCDF-GHJK')).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    const others: number[] = [];
    // What is refused counts nowhere else.
    for (let n = 0; n < 21; n += 1) others.push((await typeCode(service.browser(), 'BCDF-GHJK')).status);
    expect(others).toEqual([...Array(20).fill(400), 429]);
    const page = await typeCode(service.browser(), 'BCDF-GHJK');
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('that asks too often is told to slow down, and gets its answer all the same', async () => {
    const device = await started();
    const answers: string[] = [];
    for (let n = 0; n < 9; n += 1) answers.push((await poll(device)).body.error);
    expect(answers).toEqual([...Array(8).fill('authorization_pending'), 'slow_down']);
    await decide(device.user_code, 'allow');
    expect((await poll(device)).status).toBe(200);
  });

  it('answers no other client', async () => {
    const device = await started();
    await decide(device.user_code, 'allow');
    const other = await service.register();
    expect((await poll(device, other)).body.error).toBe('invalid_grant');
    expect((await poll(device)).status).toBe(200);
  });
});
