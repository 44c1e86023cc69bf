import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { countAttempt } from '../../src/features/identity/sign-in/count-attempts.ts';
import { describeEachDatabase, openTestDatabase, type TestDatabase } from '../support/databases.ts';
import {
  type Answer,
  asks,
  loopback,
  openRegistrationServer,
  publicClient,
  seen,
} from '../support/registering.ts';

const day = 24 * 3_600_000;

describe('the limit of an address at the authorization server', () => {
  it('RFC 6749 5.2: is told as an OAuth error', async () => {
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

  it('is stopped after 100 from one network, in all processes together, and nobody else is', async () => {
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

  it('has no more addresses than networks, and none by a header that no proxy of ours set', async () => {
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

  it('is stopped after 5,000 from everywhere', async () => {
    const server = await openRegistrationServer(database);
    const earlier = { kind: 'register', subject: '', limit: 5_000, windowMs: 60_000 };
    await countAttempt(database.queries, earlier, Date.now());
    await database.queries.updateTable('attempts').set({ count: 4_999 }).execute();
    const from = (n: number) => server.register(publicClient, { address: `198.51.100.${n}` });
    expect(await statusesOf(2, from)).toEqual([201, 429]);
  });

  it('does not count what is refused, so that a client may be mended', async () => {
    const server = await openRegistrationServer(database);
    const bad = { ...publicClient, redirect_uris: ['http://evil.example/'] };
    await statusesOf(105, () => server.register(bad));
    expect((await server.register(publicClient)).status).toBe(201);
  });

  it('leaves nothing for longer than a day: who was let in by nobody is unknown then', async () => {
    let now = Date.now();
    const server = await openRegistrationServer(database, { clock: () => now });
    const { json } = await server.register(publicClient);
    const asked = { client_id: String(json['client_id']), redirect_uri: loopback[0] ?? '' };
    now += day - 1_000;
    expect(seen(await server.authorize(asked))).toEqual(asks);
    now += 1_000;
    expect(seen(await server.authorize(asked))).toEqual({ status: 400, location: null });
  });
});
