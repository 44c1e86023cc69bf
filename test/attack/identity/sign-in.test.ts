import { afterEach, describe, expect, it } from 'vitest';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { disableUser } from '../../../src/features/identity/people/user-store.ts';
import { openPasswordHashing } from '../../../src/features/identity/sign-in/password-hashing.ts';
import { signIn } from '../../../src/features/identity/sign-in/sign-in.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { pageRoutes } from '../../../src/surfaces/pages/page-routes.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { openTestHttp, publicOrigin, type TestHttpOptions } from '../../support/http/http-server.ts';
import { noLimits } from '../../support/http/no-limits.ts';
import { type PageVisitor, pageVisitor } from '../../support/http/page-visitor.ts';
import { testPagesDeps } from '../../support/http/pages.ts';
import { openTestAuthorizationServer } from '../../support/identity/authorization-server.ts';
import { testHash, testHashing } from '../../support/identity/people.ts';

const password = 'correct horse battery';
const ada = 'ada@example.com';

interface Attempt {
  readonly email?: string;
  readonly typed?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('guessing passwords', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function openDatabase(): Promise<TestDatabase> {
    const database = await openTestDatabase('sqlite');
    closing.push(() => database.close());
    return database;
  }

  /** Opens the pages with free hashes: every refusal comes from a limit. */
  async function opened(http: TestHttpOptions['http'] = {}) {
    const database = await openDatabase();
    const oauth = await openTestAuthorizationServer(database, { baseUrl: publicOrigin });
    const deps = testPagesDeps(database, { baseUrl: publicOrigin, oauth });
    const identity = { ...deps.identity, hashing: testHashing() };
    const { server } = await openTestHttp(database, {
      oauth,
      http,
      limits: noLimits,
      plugins: [{ name: 'pages', plugin: pageRoutes({ ...deps, identity }) }],
    });
    closing.push(() => server.close());
    await admitUser(identity, { email: ada, orgSlug: 'acme' });
    await database.queries
      .updateTable('users')
      .set({ password_hash: testHash(password) })
      .execute();
    const from = (remoteAddress: string): PageVisitor =>
      pageVisitor({
        inject: (request: object) => server.inject({ ...request, remoteAddress }),
      } as unknown as typeof server);
    const attempt = async (
      remoteAddress: string,
      { email = ada, typed = 'wrong', headers = {} }: Attempt = {},
    ): Promise<number> => {
      const visitor = from(remoteAddress);
      const page = await visitor.get('/.auth/sign-in', headers);
      const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page.body) ?? [];
      const form = { csrf, email, password: typed, returnTo: '/.auth/account' };
      const own = { origin: 'null', 'sec-fetch-site': 'same-origin' };
      return (await visitor.post('/.auth/sign-in', form, { ...own, ...headers })).statusCode;
    };
    const attempts = async (count: number, request: (index: number) => Promise<number>) => {
      const statuses: number[] = [];
      for (let index = 0; index < count; index += 1) statuses.push(await request(index));
      return statuses;
    };
    return { attempt, attempts };
  }

  const refusals = (count: number) => Array.from({ length: count }, () => 403);

  it('at one account is stopped after ten attempts, even for the right password', async () => {
    const { attempt, attempts } = await opened();
    expect(await attempts(10, () => attempt('192.0.2.1'))).toEqual(refusals(10));
    expect(await attempt('192.0.2.1', { typed: password })).toBe(429);
    expect(await attempt('192.0.2.2', { typed: password })).toBe(303);
  });

  it('gains nothing from a forged X-Forwarded-For when no proxy is trusted', async () => {
    const { attempt, attempts } = await opened();
    const forged = (index: number) =>
      attempt('192.0.2.1', { headers: { 'x-forwarded-for': `198.51.100.${index}` } });
    expect(await attempts(10, forged)).toEqual(refusals(10));
    expect(await forged(99)).toBe(429);
  });

  it('gains nothing from addresses before the one that the trusted proxy added', async () => {
    const { attempt, attempts } = await opened({ trustProxy: true });
    const forged = (index: number) =>
      attempt('127.0.0.1', { headers: { 'x-forwarded-for': `198.51.100.${index}, 192.0.2.1` } });
    expect(await attempts(10, forged)).toEqual(refusals(10));
    expect(await forged(99)).toBe(429);
    const headers = { 'x-forwarded-for': '192.0.2.2' };
    expect(await attempt('127.0.0.1', { typed: password, headers })).toBe(303);
  });

  it.each(['x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip'])(
    'gains nothing from a forged %s behind a trusted proxy',
    async (name) => {
      const { attempt, attempts } = await opened({ trustProxy: true });
      const forged = (index: number) => {
        const value = name === 'forwarded' ? `for=198.51.100.${index}` : `198.51.100.${index}`;
        return attempt('127.0.0.1', { headers: { 'x-forwarded-for': '192.0.2.1', [name]: value } });
      };
      expect(await attempts(10, forged)).toEqual(refusals(10));
      expect(await forged(99)).toBe(429);
    },
  );

  it('gains nothing from the addresses of one IPv6 /64', async () => {
    const { attempt, attempts } = await opened();
    const rotated = (index: number) => attempt(`2001:db8:1:2:${index.toString(16)}::${index}`);
    expect(await attempts(10, rotated)).toEqual(refusals(10));
    expect(await rotated(4_000)).toBe(429);
    expect(await attempt('2001:db8:1:3::1', { typed: password })).toBe(303);
  });

  it('gains nothing from an IPv4 address written as IPv6', async () => {
    const { attempt, attempts } = await opened();
    expect(await attempts(10, () => attempt('::ffff:192.0.2.1'))).toEqual(refusals(10));
    expect(await attempt('192.0.2.1')).toBe(429);
  });

  it('gains nothing from other spellings of the e-mail', async () => {
    const { attempt, attempts } = await opened();
    const spellings = [ada, 'ADA@example.com', ' Ada@Example.COM '];
    const spelled = (index: number) => attempt('192.0.2.1', { email: spellings[index % 3] ?? ada });
    expect(await attempts(10, spelled)).toEqual(refusals(10));
    expect(await spelled(1)).toBe(429);
  });

  it('at many accounts from one address is stopped after fifty attempts', async () => {
    const { attempt, attempts } = await opened();
    const spread = (index: number) => attempt('192.0.2.1', { email: `person-${index}@example.com` });
    expect(await attempts(50, spread)).toEqual(refusals(50));
    expect(await spread(51)).toBe(429);
  });

  it('takes the same time for users that are unknown, disabled, without a password or with another one', async () => {
    const database = await openDatabase();
    const deps = { database, clock: systemClock, hashing: openPasswordHashing() };
    await admitUser(deps, { email: ada, orgSlug: 'acme', password });
    await admitUser(deps, { email: 'nina@example.com', orgSlug: 'acme' });
    const { user } = await admitUser(deps, { email: 'dan@example.com', orgSlug: 'acme', password });
    await disableUser(database.queries, user.id, systemClock());
    const emails = [ada, 'nina@example.com', 'dan@example.com', 'nobody@example.com', 'no address'];
    const times = emails.map((): number[] => []);
    // Interleaved, so that load on the machine affects all of them.
    for (let round = 0; round < 7; round += 1) {
      for (const [index, email] of emails.entries()) {
        const began = performance.now();
        const address = `192.0.${round}.${index}`;
        await expect(signIn(deps, { email, password: 'wrong', address })).rejects.toThrow(
          /e-mail or the password is wrong/,
        );
        times[index]?.push(performance.now() - began);
      }
    }
    // The fastest of each, because load only adds time. Without a hash it takes a hundredth of the time.
    const fastest = times.map((each) => Math.min(...each));
    expect(Math.min(...fastest) / Math.max(...fastest)).toBeGreaterThan(0.05);
  });
});
