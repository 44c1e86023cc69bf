import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { openTestOauth, type TestClient, type TestOauth } from '../../support/identity/oauth-http.ts';
import {
  openRegistrationServer,
  publicClient,
  type RegistrationServer,
} from '../../support/identity/registering.ts';

const form = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
});

describe('a request with more than any client sends', () => {
  let database: TestDatabase;
  let service: TestOauth;
  let client: TestClient;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
    client = await service.register();
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  const send = (path: string, init?: RequestInit) =>
    fetch(new URL(path, service.baseUrl), { redirect: 'manual', ...init });

  /** Returns the minimum duration of several requests, in milliseconds: that of the request without other load. */
  async function quickest(path: string, init?: RequestInit): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const began = performance.now();
      await (await send(path, init)).arrayBuffer();
      times.push(performance.now() - began);
    }
    return Math.min(...times);
  }

  const many = 'a&'.repeat(7_000);
  const endless = 'a&'.repeat(32_000);

  it.each<[string, string, RequestInit?]>([
    ['the query of an authorization', `/.auth/authorize?${many}`],
    ['the query of one that is resumed', `/.auth/authorize/x?${many}`],
    ['the query for the keys', `/.auth/jwks?${many}`],
    ['the query of a form', `/.auth/token?${many}`, form('')],
    ['a form for a token', '/.auth/token', form(endless)],
    ['a form for a device', '/.auth/device-authorization', form(endless)],
    ['a form that revokes', '/.auth/revoke', form(endless)],
  ])('takes about as long as a plain one, with thousands of parameters in %s', async (_, path, init) => {
    const plain = await quickest(service.authorizationUrl(client).url);
    expect(await quickest(path, init)).toBeLessThan(plain * 10);
  });

  it('is refused with more than 50 parameters, as a page and as an OAuth error', async () => {
    const page = await send(`/.auth/authorize?${'a&'.repeat(50)}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('more than 50 parameters');
    const answer = await send('/.auth/token', form('a&'.repeat(50)));
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
    const { url } = service.authorizationUrl(client, { extra: Array.from({ length: 42 }, () => 'x') });
    expect(new URL(url).searchParams.size).toBeLessThan(50);
    expect((await send(url)).status).toBe(303);
  });

  const stored = async () => {
    const rows = await database.queries.selectFrom('oauth_objects').select('payload').execute();
    return Math.max(...rows.map(({ payload }) => payload.length));
  };

  it('stores no unused data', async () => {
    const text = 'x'.repeat(55_000);
    const unused = ['login_hint', 'ui_locales', 'acr_values', 'claims', 'nonce', 'display', 'state'];
    for (const name of unused) {
      const body = new URLSearchParams({ client_id: client.client_id, [name]: text }).toString();
      const answer = await send('/.auth/device-authorization', form(body));
      expect(await answer.json()).toMatchObject({ user_code: expect.any(String) });
    }
    expect(await stored()).toBeLessThan(4_000);
    for (const name of unused.filter((each) => each !== 'state')) {
      const { url } = service.authorizationUrl(client, { [name]: text.slice(0, 12_000) });
      expect((await send(url)).status).toBe(303);
    }
    expect(await stored()).toBeLessThan(4_000);
  });

  it.each([
    ['state', 4_096],
    ['redirect_uri', 2_048],
    ['scope', 2_048],
    ['client_id', 2_048],
    ['prompt', 2_048],
    ['resource', 2_048],
  ])('is refused with a page for a %s longer than %i bytes', async (name, max) => {
    const answer = await send(service.authorizationUrl(client, { [name]: 'ä'.repeat(max / 2 + 1) }).url);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.text()).toContain(`${name} must not be longer than ${max} bytes`);
    const enough = await send(service.authorizationUrl(client, { [name]: 'ä'.repeat(max / 2) }).url);
    expect(await enough.text()).not.toContain('must not be longer');
  });
});

describeEachDatabase('a flood of authorizations that nobody answers', (open) => {
  let server: RegistrationServer;
  let clientId: string;
  let database: TestDatabase;

  beforeEach(async () => {
    database = await open();
    server = await openRegistrationServer(database);
    const metadata = {
      ...publicClient,
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
    };
    clientId = String((await server.register(metadata)).json['client_id']);
  });

  const authorize = (address: string) =>
    server.call('/.auth/authorize?client_id=x', { headers: { 'x-forwarded-for': address } });
  const device = (address: string) => {
    const init = form(new URLSearchParams({ client_id: clientId }).toString());
    const headers = { ...(init.headers as Record<string, string>), 'x-forwarded-for': address };
    return server.call('/.auth/device-authorization', { ...init, headers });
  };

  it('is stopped after 1,000 from one sender, in browsers and on devices together, while others may continue', async () => {
    await authorize('203.0.113.1');
    await device('203.0.113.1');
    const firstAttempts = database.queries.updateTable('attempts').where('key', 'like', 'begin-network%');
    expect(
      await firstAttempts.where('count', '=', 2).set({ count: 1_000 }).returning('key').execute(),
    ).toHaveLength(1);
    const refused = [await authorize('203.0.113.1'), await device('203.0.113.1')];
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    expect(refused[0]?.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(refused[1]?.json['error']).toBe('temporarily_unavailable');
    expect((await device('203.0.113.2')).status).toBe(200);
  });
});

describeEachDatabase('a sender that owns a /48', (open) => {
  it('registers four times as much as one with a /64, and blocks nobody else', async () => {
    const server = await openRegistrationServer(await open());
    const statuses: number[] = [];
    for (let n = 0; n < 401; n += 1) {
      const address = `2001:db8:7:${((n % 256) * 0x100 + (n >> 8)).toString(16)}::1`;
      statuses.push((await server.register(publicClient, { address })).status);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(400);
    expect(statuses.at(-1)).toBe(429);
    expect((await server.register(publicClient, { address: '2001:db8:8::1' })).status).toBe(201);
  });

  it('registers twice as much with a /56', async () => {
    const server = await openRegistrationServer(await open());
    const statuses: number[] = [];
    for (let n = 0; n < 201; n += 1) {
      const address = `2001:db8:7:${n.toString(16)}::1`;
      statuses.push((await server.register(publicClient, { address })).status);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(200);
  });
});
