import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { countAttempt } from '../../../src/features/identity/sign-in/count-attempts.ts';
import { purgeAuthorizations } from '../../../src/features/oauth/purge-authorizations.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { testAuthSecret } from '../../support/identity/authorization-server.ts';
import {
  type Answer,
  asks,
  loopback,
  openRegistrationServer,
  publicClient,
  seen,
} from '../../support/identity/registering.ts';

const day = 24 * 3_600_000;

describe('the limit per address at the authorization server', () => {
  it('RFC 6749 5.2: is reported as an OAuth error', async () => {
    const database = await openTestDatabase('sqlite');
    onTestFinished(() => database.close());
    const server = await openRegistrationServer(database, { limit: 1 });
    const headers = { authorization: `Basic ${btoa('client:secret')}` };
    const ask = () => server.call('/.auth/token', { method: 'POST', headers, body: new URLSearchParams() });
    await ask();
    const { status, json, headers: answered } = await ask();
    expect({ status, json, wait: Number(answered.get('retry-after')) > 0 }).toEqual({
      status: 429,
      json: { error: 'temporarily_unavailable', error_description: expect.stringContaining('Too many') },
      wait: true,
    });
  });
});

describeEachDatabase('RFC 7591 5: a flood of registrations', (open) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await open();
  });

  const statusesOf = async (times: number, send: (n: number) => Promise<Answer>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let n = 0; n < times; n += 1) statuses.push((await send(n)).status);
    return statuses;
  };

  it('is stopped after 100 from one network, in all processes together, while others may continue', async () => {
    const servers = [await openRegistrationServer(database), await openRegistrationServer(database)];
    const sent = await statusesOf(100, (n) => servers[n % 2]!.register(publicClient));
    expect(new Set(sent)).toEqual(new Set([201]));
    const refused = await servers[0]!.register(publicClient);
    expect({ status: refused.status, json: refused.json, type: refused.headers.get('content-type') }).toEqual(
      {
        status: 429,
        json: { error: 'temporarily_unavailable', error_description: expect.stringContaining('Too many') },
        type: expect.stringContaining('application/json'),
      },
    );
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await servers[1]!.register(publicClient, { address: '203.0.113.2' })).status).toBe(201);
  });

  it('gains no limit from more addresses of a network, or from headers that none of our proxies set', async () => {
    const rotating = await openRegistrationServer(database);
    const inOne64 = (n: number) =>
      rotating.register(publicClient, { address: `2001:db8:1:2::${n.toString(16)}` });
    expect((await statusesOf(101, inOne64)).at(-1)).toBe(429);
    const direct = await openRegistrationServer(database, { trustProxy: false });
    const spoofed = (n: number) => direct.register(publicClient, { address: `198.51.100.${n}` });
    expect((await statusesOf(101, spoofed)).at(-1)).toBe(429);
  });

  it('is not let through by an Authorization header', async () => {
    const server = await openRegistrationServer(database);
    const headers = { authorization: 'Bearer ock_guess' };
    expect((await statusesOf(101, () => server.register(publicClient, { headers }))).at(-1)).toBe(429);
  });

  it('is stopped after 5,000 in total', async () => {
    const server = await openRegistrationServer(database);
    const earlier = { kind: 'register', subject: '', limit: 5_000, windowMs: 60_000 };
    await countAttempt(database.queries, earlier, Date.now());
    await database.queries.updateTable('attempts').set({ count: 4_999 }).execute();
    const from = (n: number) => server.register(publicClient, { address: `198.51.100.${n}` });
    expect(await statusesOf(2, from)).toEqual([201, 429]);
  });

  it('does not count refused registrations, so that a client can be fixed', async () => {
    const server = await openRegistrationServer(database);
    const bad = { ...publicClient, redirect_uris: ['http://evil.example/'] };
    await statusesOf(105, () => server.register(bad));
    expect((await server.register(publicClient)).status).toBe(201);
  });

  it('stores at most 8 KB of each client', async () => {
    const server = await openRegistrationServer(database);
    const uris = (count: number, length: number) =>
      Array.from({ length: count }, (_, n) => `https://app.example/${n}/`.padEnd(length, 'x'));
    const stored = async () => {
      const rows = await database.queries.selectFrom('oauth_objects').select('payload').execute();
      return rows.map(({ payload }) => payload.length);
    };
    const sizes = [
      [20, 2_048],
      [5, 2_048],
      [20, 420],
    ] as const;
    for (const [count, length] of sizes) {
      const { status, json } = await server.register({ ...publicClient, redirect_uris: uris(count, length) });
      expect([status, json['error']]).toEqual([400, 'invalid_client_metadata']);
      expect(json['error_description']).toContain('8192 bytes');
    }
    expect(await stored()).toEqual([]);
    expect((await server.register({ ...publicClient, redirect_uris: uris(20, 360) })).status).toBe(201);
    const [bytes = Infinity, ...others] = await stored();
    expect([others, bytes < 12_000]).toEqual([[], true]);
  });

  it('keeps the newest 5,000 clients that nobody has allowed, and every client that somebody has', async () => {
    const now = Date.now();
    const key = (n: number) => `Client:${String(n).padStart(5, '0')}`;
    const row = (n: number, lifetime: number) => ({
      key: key(n),
      model: 'Client',
      payload: 'x',
      expires_at: now + lifetime,
      created_at: now,
    });
    const unused = Array.from({ length: 5_003 }, (_, n) => row(n, day - 6_000 + n));
    const rows = [...unused, row(9_000, 31 * day)];
    for (let at = 0; at < rows.length; at += 500) {
      await database.queries
        .insertInto('oauth_objects')
        .values(rows.slice(at, at + 500))
        .execute();
    }
    const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
    const deps = { database, clock: () => now, sealer, accessTokenTtlMs: 3_600_000 };
    await purgeAuthorizations(deps, new AbortController().signal);
    const kept = await database.queries.selectFrom('oauth_objects').select('key').orderBy('key').execute();
    expect([kept.length, kept[0]?.key, kept.at(-1)?.key]).toEqual([5_001, key(3), key(9_000)]);
  });

  it('leaves nothing for longer than a day: a client without a grant is then unknown', async () => {
    let now = Date.now();
    const server = await openRegistrationServer(database, { clock: () => now });
    const { json } = await server.register(publicClient);
    const parameters = { client_id: String(json['client_id']), redirect_uri: loopback[0] ?? '' };
    now += day - 1_000;
    expect(seen(await server.authorize(parameters))).toEqual(asks);
    now += 1_000;
    expect(seen(await server.authorize(parameters))).toEqual({ status: 400, location: null });
  });
});
