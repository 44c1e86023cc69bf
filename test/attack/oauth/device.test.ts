import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { removeMembership } from '../../../src/features/identity/people/membership-store.ts';
import { disableUser, enableUser } from '../../../src/features/identity/people/user-store.ts';
import { purgeAuthorizations } from '../../../src/features/oauth/purge-authorizations.ts';
import { deviceGrant } from '../../../src/features/oauth/supported.ts';
import type { Clock } from '../../../src/foundation/kernel/clock.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import type { BrowserPage, HttpBrowser } from '../../support/http/http-browser.ts';
import { formOf } from '../../support/http/page-visitor.ts';
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
  readonly verification_uri_complete: string;
}

const minute = 60_000;

describeEachDatabase('the device flow', (open) => {
  const cli: TestClient = { client_id: 'orgctx-cli', redirectUri: '' };
  let ahead = 0;
  const clock: Clock = () => Date.now() + ahead;
  let service: TestOauth;
  let other: TestClient;
  /** A signed-in browser. */
  let ann: HttpBrowser;

  beforeAll(async () => {
    service = await openTestOauth(await open(), { clock });
    other = await service.register();
    ann = service.browser();
    await signIn(ann, await ann.open('/.auth/sign-in'));
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    ahead = 0;
    await service.database.queries.deleteFrom('attempts').execute();
  });

  const started = async (client: TestClient = cli): Promise<Started> => {
    const answer = await fetch(`${service.baseUrl}/.auth/device-authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: client.client_id }),
    });
    return (await answer.json()) as Started;
  };
  const poll = (device_code: string, client: TestClient = cli): Promise<TokenAnswer> =>
    service.token(client, { grant_type: deviceGrant, device_code });
  const errorOf = async (device_code: string, client?: TestClient): Promise<string> =>
    (await poll(device_code, client)).body.error;
  const typeCode = async (browser: HttpBrowser, user_code: string): Promise<BrowserPage> =>
    browser.submit(await browser.open('/.auth/device'), { user_code });
  function signIn(browser: HttpBrowser, page: BrowserPage, who: Name = 'ann'): Promise<BrowserPage> {
    return browser.submit(page, { email: service.people[who].email, password });
  }
  const decide = async ({ user_code }: Started, decision: 'allow' | 'deny'): Promise<BrowserPage> =>
    ann.submit(await typeCode(ann, user_code), { organization: 'acme', decision });
  const grants = async (): Promise<number> =>
    (await service.database.queries.selectFrom('oauth_grants').select('id').execute()).length;

  it('RFC 8628 5.1, 6.1: draws codes from 25,600,000,000, and no two alike', async () => {
    const codes = await Promise.all(Array.from({ length: 60 }, () => started()));
    const letters = codes.map(({ user_code }) => user_code.replace('-', '')).join('');
    expect(letters).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{480}$/);
    expect(new Set(codes.map(({ user_code }) => user_code)).size).toBe(60);
    // A given letter is missing from 480 letters drawn evenly from 20 once in 50,000,000,000 times.
    expect(new Set(letters).size).toBe(20);
    for (const { device_code } of codes) expect(device_code).toMatch(/^[\w-]{43,}$/);
  });

  it('RFC 8628 5.1: stops a browser after ten codes', async () => {
    const browser = service.browser();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await typeCode(browser, 'BCDF-GHJK')).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    const device = await started();
    expect((await typeCode(browser, device.user_code)).status).toBe(429);
    ahead = 15 * minute;
    expect((await typeCode(browser, (await started()).user_code)).html).toContain('name="password"');
  });

  it('RFC 8628 5.1: stops a network after thirty codes, whatever browsers it has', async () => {
    const all = Array.from({ length: 40 }, () => typeCode(service.browser(), 'BCDF-GHJK'));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  it('RFC 8628 5.1: trusts no header for the network that a code comes from', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) {
      const browser = service.browser();
      const { fields, action } = formOf((await browser.open('/.auth/device')).html);
      const answer = await browser.send(action, {
        method: 'POST',
        headers: { 'x-forwarded-for': `198.51.100.${n}`, forwarded: `for=198.51.100.${n}` },
        body: new URLSearchParams({ ...fields, user_code: 'BCDF-GHJK' }),
      });
      statuses.push(answer.status);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it('RFC 8628 5.1: stops all networks together after two thousand codes', async () => {
    const { queries } = service.database;
    await typeCode(service.browser(), 'BCDF-GHJK');
    const before = await queries.selectFrom('attempts').select('key').execute();
    // The limits of the network and the browser would be reached first.
    await queries.updateTable('attempts').set({ count: 1_999 }).execute();
    const limited = before.map(({ key }) => key);
    const outcomes: number[] = [];
    for (const key of limited) {
      await queries.updateTable('attempts').set({ count: 0 }).execute();
      await queries.updateTable('attempts').set({ count: 2_000 }).where('key', '=', key).execute();
      outcomes.push((await typeCode(service.browser(), 'BCDF-GHJK')).status);
    }
    expect(outcomes.toSorted((a, b) => a - b)).toEqual([400, 429, 429]);
  });

  it.each([
    ['', 'invalid_request'],
    ['x', 'invalid_grant'],
    ['x'.repeat(43), 'invalid_grant'],
    ["' or 1=1 --", 'invalid_grant'],
    ['\u0000', 'invalid_grant'],
    ['__proto__', 'invalid_grant'],
  ])('RFC 8628 5.2: issues nothing for a guessed device code: %j', async (code, error) => {
    expect(await errorOf(code)).toBe(error);
  });

  it('RFC 8628 5.2: does not accept a user code as a device code', async () => {
    const device = await started();
    await decide(device, 'allow');
    for (const code of [device.user_code, device.user_code.replace('-', '')]) {
      expect(await errorOf(code)).toBe('invalid_grant');
    }
    expect((await poll(device.device_code)).status).toBe(200);
  });

  it('RFC 8628 3.4: refuses other clients, before and after the approval', async () => {
    const device = await started();
    expect(await errorOf(device.device_code, other)).toMatch(/^(invalid_grant|authorization_pending)$/);
    await decide(device, 'allow');
    expect(await errorOf(device.device_code, other)).toBe('invalid_grant');
    expect((await poll(device.device_code)).status).toBe(200);
  });

  it('RFC 8628 3.5: issues tokens once, and revokes them when the device code is used again', async () => {
    const device = await started();
    await decide(device, 'allow');
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(device.device_code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const next = await started();
    await decide(next, 'allow');
    const { body } = await poll(next.device_code);
    expect((await service.use(body.access_token)).rest).toBe(200);
    expect(await errorOf(next.device_code)).toBe('invalid_grant');
    expect((await service.use(body.access_token)).rest).toBe(401);
  });

  it.each([
    ['undecided', undefined],
    ['allowed', 'allow'],
    ['denied', 'deny'],
  ] as const)('RFC 8628 3.5: tells the device that its code has expired, %s or not', async (_, decision) => {
    const device = await started();
    if (decision !== undefined) await decide(device, decision);
    ahead = 15 * minute;
    expect(await errorOf(device.device_code)).toBe('expired_token');
    expect(await errorOf(device.device_code, other)).toBe('invalid_grant');
    expect((await typeCode(service.browser(), device.user_code)).status).toBe(400);
    const { database } = service;
    const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
    const deps = { database, clock, sealer, accessTokenTtlMs: 60 * minute };
    await purgeAuthorizations(deps, new AbortController().signal);
    expect(await errorOf(device.device_code)).toBe('invalid_grant');
  });

  it('RFC 8628 3.5: refuses an approval on a page that was open for too long', async () => {
    const device = await started();
    const page = await typeCode(ann, device.user_code);
    const before = await grants();
    ahead = 15 * minute;
    const answer = await ann.submit(page, { organization: 'acme', decision: 'allow' });
    expect([answer.status, await grants()]).toEqual([404, before]);
    expect(await errorOf(device.device_code)).toBe('expired_token');
  });

  it('RFC 8628 3.5: tells a device to slow down, and then issues its tokens', async () => {
    const device = await started();
    const answers: string[] = [];
    for (let n = 0; n < 10; n += 1) answers.push(await errorOf(device.device_code));
    expect(answers).toEqual([...Array(8).fill('authorization_pending'), 'slow_down', 'slow_down']);
    ahead = 31_000;
    expect(await errorOf(device.device_code)).toBe('authorization_pending');
    await decide(device, 'allow');
    expect((await poll(device.device_code)).status).toBe(200);
  });

  it('RFC 8628 3.5: does not slow a device down because of others', async () => {
    const [hasty, patient] = [await started(), await started()];
    for (let n = 0; n < 10; n += 1) await poll(hasty.device_code);
    expect(await errorOf(patient.device_code)).toBe('authorization_pending');
  });

  it('RFC 8628 3.5: ends the polling once the person denies', async () => {
    const device = await started();
    await decide(device, 'deny');
    expect(await errorOf(device.device_code)).toBe('access_denied');
    expect(await errorOf(device.device_code)).toMatch(/^(access_denied|invalid_grant)$/);
    expect((await typeCode(ann, device.user_code)).status).toBe(400);
  });

  it('RFC 8628 3.3.1, 5.4: asks for consent even when the code is in the URL', async () => {
    const device = await started();
    const before = await grants();
    const page = await ann.open(device.verification_uri_complete);
    expect(page.html).not.toContain('name="decision"');
    const consentPage = await ann.submit(page, { user_code: device.user_code });
    expect(consentPage.html).toContain('name="decision"');
    for (const expectedText of ['orgctx command line', device.user_code, '127.0.0.1', 'Acme', 'acme']) {
      expect(consentPage.html.toLowerCase()).toContain(expectedText.toLowerCase());
    }
    expect([await errorOf(device.device_code), await grants()]).toEqual(['authorization_pending', before]);
  });

  it('RFC 8628 5.4: requires the approving person to be signed in', async () => {
    const device = await started();
    const browser = service.browser();
    const page = await typeCode(browser, device.user_code);
    expect(page.html).toContain('name="password"');
    const { fields } = formOf(page.html);
    const uid = new URL(page.url).searchParams.get('returnTo') ?? new URL(page.url).pathname;
    for (const path of [uid, '/.auth/device']) {
      const answer = await browser.send(path, {
        method: 'POST',
        headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...fields, organization: 'acme', decision: 'allow' }),
      });
      expect(answer.headers.get('location') ?? '').not.toContain('/done');
    }
    expect(await errorOf(device.device_code)).toBe('authorization_pending');
  });

  it('GHSA-cq3f, RFC 8628 5.4: cannot be taken over by a second person who enters its code', async () => {
    const device = await started();
    const page = await typeCode(ann, device.user_code);
    const bob = service.browser();
    const signInPage = await typeCode(bob, device.user_code);
    const taken = await signIn(bob, signInPage, 'bob');
    expect([taken.status, taken.html.includes('Another person')]).toEqual([403, true]);
    expect(await errorOf(device.device_code)).toBe('authorization_pending');
    const peeked = await bob.open(page.url);
    expect(peeked.html).not.toContain(device.user_code);
    await ann.submit(page, { organization: 'acme', decision: 'allow' });
    expect((await poll(device.device_code)).status).toBe(200);
  });

  it.each<[string, Record<string, string>, Record<string, string>, number?]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }, {}],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }, {}],
    ['the address bar', { 'sec-fetch-site': 'none' }, {}],
    ['another origin', { origin: 'https://evil.example' }, {}],
    ['an origin that is null', { origin: 'null' }, {}],
    ['a page without its token', {}, { csrf: '' }],
    ['a page with another token', {}, { csrf: 'A'.repeat(43) }],
    ['a program', { 'content-type': 'text/plain' }, {}, 415],
  ])('RFC 9700 4.7, RFC 8628 5.4: accepts no code from %s', async (_, headers, more, status = 403) => {
    const device = await started();
    const browser = service.browser();
    const { fields } = formOf((await browser.open('/.auth/device')).html);
    const body = new URLSearchParams({ ...fields, user_code: device.user_code, ...more }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (given: Record<string, string>) =>
      browser.send('/.auth/device', { method: 'POST', headers: { ...type, ...given }, body });
    const answer = await send(headers);
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null]);
  });

  it('RFC 9700 4.7: accepts the token of a page only in its own browser', async () => {
    const device = await started();
    const { fields } = formOf((await ann.open('/.auth/device')).html);
    const otherBrowser = service.browser();
    await otherBrowser.open('/.auth/device');
    for (const browser of [otherBrowser, service.browser()]) {
      const body = new URLSearchParams({ ...fields, user_code: device.user_code });
      expect((await browser.send('/.auth/device', { method: 'POST', body })).status).toBe(403);
    }
  });

  it('RFC 8628 5.4: gives the command line no access to MCP, whatever it requests', async () => {
    for (const scope of ['mcp', 'mcp api', 'api mcp']) {
      const answer = await fetch(`${service.baseUrl}/.auth/device-authorization`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'orgctx-cli', scope }),
      });
      expect(await answer.json()).toMatchObject({ error: 'invalid_scope' });
    }
    const device = await started();
    await decide(device, 'allow');
    const { body } = await poll(device.device_code);
    expect(await service.use(body.access_token)).toEqual({ rest: 200, mcp: 403 });
    const wider = await service.refresh(cli, body.refresh_token, { scope: 'api mcp' });
    expect(wider.body.error).toBe('invalid_scope');
  });

  const bobMembership = () => ({
    userId: service.people.bob.userId,
    organizationId: service.organizations.globex,
  });
  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => disableUser(service.database.queries, bobMembership().userId, Date.now())],
    [
      'removed from the organization',
      () => service.database.transaction((tx) => removeMembership(tx, bobMembership())),
    ],
  ])('RFC 8628 3.5: issues nothing from a person who was %s after the approval', async (_, happen) => {
    const device = await started();
    const browser = service.browser();
    const page = await signIn(browser, await typeCode(browser, device.user_code), 'bob');
    const done = await browser.submit(page, { organization: 'globex', decision: 'allow' });
    expect(done.url).toContain('/.auth/device/done');
    await happen();
    expect(await errorOf(device.device_code)).toBe('invalid_grant');
    await enableUser(service.database.queries, bobMembership().userId);
  });

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    'BCDF-GHJK\r\nX: y',
    'x'.repeat(9_000),
  ])('RFC 8628 3.3: shows a hostile code as text or not at all: %s', async (code) => {
    for (const page of [
      await ann.open(`/.auth/device?user_code=${encodeURIComponent(code)}`),
      await typeCode(ann, code),
      await ann.open(`/.auth/device/done?client=${encodeURIComponent(code)}`),
    ]) {
      expect(page.status).toBeLessThan(500);
      expect(page.html).not.toMatch(/<script|<img|x{200}/);
      expect(page.headers.get('x')).toBeNull();
    }
  });
});
