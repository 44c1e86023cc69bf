import type { FastifyPluginAsync } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../../test/support/database/databases.ts';
import { openTestHttp, type TestHttpOptions } from '../../../../test/support/http/http-server.ts';
import { authenticate } from '../../../features/identity/access/authenticate.ts';
import { createApiKey } from '../../../features/identity/api-keys/create-api-key.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';

const plenty = 1000;
const list = '/acme/api/v1/repositories';

describe('rate limits', () => {
  let database: Database;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
  });
  afterAll(() => database.close());

  const openWith = (limits: TestHttpOptions['limits'], http?: TestHttpOptions['http']) =>
    openTestHttp(database, { ...(limits && { limits }), ...(http && { http }) });

  it('refuse an address with too many unauthenticated requests, with Retry-After', async () => {
    const { server } = await openWith({ address: 2, credential: plenty, user: plenty });
    const seen = [];
    for (let i = 0; i < 3; i++) seen.push((await server.inject(list)).statusCode);
    expect(seen).toEqual([401, 401, 429]);
    const answer = await server.inject(list);
    expect(answer.json()).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('say in each response which limits counted it and what is left', async () => {
    const { call, server } = await openWith({ address: 1, credential: 2, user: 5 });
    const policy = '"credential";q=2;w=60, "user";q=5;w=60';
    for (const [status, left] of [
      [200, /^"credential";r=1;t=\d+, "user";r=4;t=\d+$/],
      [200, /^"credential";r=0;t=\d+, "user";r=3;t=\d+$/],
      [429, /^"credential";r=0;t=\d+$/],
    ] as const) {
      const { statusCode, headers } = await call({ url: list });
      expect([statusCode, headers['ratelimit']]).toEqual([status, expect.stringMatching(left)]);
      expect(policy).toContain(headers['ratelimit-policy']);
    }
    const stranger = await server.inject(list);
    expect(stranger.headers['ratelimit-policy']).toBe('"address";q=1;w=60');
  });

  it('count requests with an invalid credential', async () => {
    const { server } = await openWith({ address: 2, credential: plenty, user: plenty });
    const guess = () => server.inject({ url: list, headers: { authorization: 'Bearer ock_guess' } });
    expect([(await guess()).statusCode, (await guess()).statusCode]).toEqual([401, 401]);
    expect((await guess()).statusCode).toBe(429);
  });

  it('do not refuse a valid credential because of others behind its address', async () => {
    const { server, call } = await openWith({ address: 1, credential: plenty, user: plenty });
    for (let i = 0; i < 3; i++) await server.inject(list);
    for (let i = 0; i < 3; i++) {
      await server.inject({ url: list, headers: { authorization: 'Bearer ock_guess' } });
    }
    expect((await call({ url: list })).statusCode).toBe(200);
  });

  it('count a valid credential that tries other organizations', async () => {
    const { call } = await openWith({ address: 2, credential: plenty, user: plenty });
    const knock = () => call({ url: '/globex/api/v1/repositories' });
    expect([(await knock()).statusCode, (await knock()).statusCode]).toEqual([403, 403]);
    expect((await knock()).statusCode).toBe(429);
  });

  it('do not count admitted callers behind one address', async () => {
    const { call } = await openWith({ address: 2, credential: plenty, user: plenty });
    for (let i = 0; i < 5; i++) expect((await call({ url: list })).statusCode).toBe(200);
  });

  it('count IPv6 addresses by /64', async () => {
    const limits = { address: 1, credential: plenty, user: plenty };
    const { server } = await openWith(limits, { trustProxy: true });
    const from = async (address: string) =>
      (await server.inject({ url: list, headers: { 'x-forwarded-for': address } })).statusCode;
    expect(await from('2001:db8:1:2::1')).toBe(401);
    expect(await from('2001:db8:1:2:ffff::9')).toBe(429);
    expect(await from('2001:db8:1:3::1')).toBe(401);
  });

  it.each([
    ['false', false],
    ['another proxy', ['10.0.0.1']],
    ['no hop', 0],
  ])('do not trust X-Forwarded-For if TRUST_PROXY is %s', async (_what, trustProxy) => {
    const { server } = await openWith({ address: 1, credential: plenty, user: plenty }, { trustProxy });
    const from = async (address: string) =>
      (await server.inject({ url: list, headers: { 'x-forwarded-for': address } })).statusCode;
    expect([await from('203.0.113.1'), await from('203.0.113.2')]).toEqual([401, 429]);
  });

  it('limit each key separately, and all keys of a user together', async () => {
    const { call, keys, server } = await openWith({ address: plenty, credential: 2, user: 3 });
    expect((await call({ url: list })).statusCode).toBe(200);
    expect((await call({ url: list })).statusCode).toBe(200);
    expect((await call({ url: list })).statusCode).toBe(429);

    const deps = { queries: database.queries, clock: systemClock };
    const { principal } = await authenticate(deps, `Bearer ${keys.member}`, undefined);
    const { userId } = principal;
    const { apiKey } = await createApiKey(database.queries, { userId, name: 'second' }, systemClock);
    const second = () => server.inject({ url: list, headers: { authorization: `Bearer ${apiKey}` } });
    expect((await second()).statusCode).toBe(200);
    expect((await second()).statusCode).toBe(429);
    expect((await call({ url: list, as: 'admin' })).statusCode).toBe(200);
  });

  it('exempt status and discovery', async () => {
    const { server } = await openWith({ address: 0, credential: plenty, user: plenty });
    for (const url of ['/.status', '/.well-known/oauth-protected-resource/mcp']) {
      expect((await server.inject(url)).statusCode).toBe(200);
    }
    expect((await server.inject('/openapi.json')).statusCode).toBe(429);
  });

  it('do not count status requests, with any header', async () => {
    const { server } = await openWith({ address: 1, credential: plenty, user: plenty });
    const headers = { authorization: 'Basic probe' };
    for (let i = 0; i < 3; i++) await server.inject({ url: '/.status', headers });
    expect((await server.inject('/openapi.json')).statusCode).toBe(200);
  });

  it.each(['/openapi.json', '/.well-known/nothing', '/nothing', '/acme/nothing'])(
    'count requests to routes without authentication, with any header: %s',
    async (url) => {
      const { server } = await openWith({ address: 1, credential: plenty, user: plenty });
      const headers = { authorization: 'x' };
      await server.inject({ url, headers });
      expect((await server.inject({ url, headers })).statusCode).toBe(429);
    },
  );

  it('count every request to the authorization server by its address, with any header', async () => {
    const asClient = { authorization: `Basic ${btoa('client:secret')}` };
    const { server } = await openTestHttp(database, {
      limits: { address: 1, credential: plenty, user: plenty, authorizationServer: 2 },
      plugins: [{ name: 'token', plugin: tokenEndpoint }],
    });
    const token = (headers?: Record<string, string>) =>
      server.inject({ method: 'POST', url: '/token', ...(headers && { headers }) });
    expect([(await token(asClient)).statusCode, (await token()).statusCode]).toEqual([200, 200]);
    const refused = await token(asClient);
    expect({ status: refused.statusCode, wait: Number(refused.headers['retry-after']) > 0 }).toEqual({
      status: 429,
      wait: true,
    });
    expect((await server.inject('/openapi.json')).statusCode).toBe(200);
  });
});

const tokenEndpoint: FastifyPluginAsync = async (server) => {
  server.post(
    '/token',
    { schema: { hide: true }, config: { authorizationServer: true } },
    async () => 'token',
  );
};
