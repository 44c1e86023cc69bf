import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BodySender } from '../../../src/foundation/kernel/limits/body-budget.ts';
import { senderNetworks } from '../../../src/foundation/kernel/limits/sender-network.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import type { TestHttp } from '../../support/http/http-server.ts';
import { noLimits } from '../../support/http/no-limits.ts';
import { type PageVisitor, pageVisitor } from '../../support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../support/http/pages.ts';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

describe('the bodies of forms', () => {
  const sockets: Socket[] = [];
  const freed: (() => void)[] = [];
  let database: TestDatabase;
  let http: TestHttp;
  let port: number;
  let ada: PageVisitor;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database, { limits: noLimits, http: { trustProxy: true } });
    await openPerson(database, 'ada@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    port = (http.server.server.address() as AddressInfo).port;
    ada = pageVisitor(http.server);
    await ada.submit(await ada.get('/.auth/sign-in'), { email: 'ada@example.com', password });
    return async () => {
      await http.server.close();
      await database.close();
    };
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const free of freed.splice(0)) free();
    await expect.poll(held).toBe(0);
  });

  const held = (): number => http.server.bodyBudget.held;

  /** Sends all of a form but its last byte. Resolves with the first bytes of the answer. */
  function nearly(
    path: string,
    length: number,
    cookies: ReadonlyMap<string, string> = new Map(),
    from?: string,
  ) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Cookie: ${cookie}`, `Content-Length: ${length}`];
    if (from !== undefined) head.push(`X-Forwarded-For: ${from}`);
    socket.write(`${head.join('\r\n')}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n`);
    socket.write(Buffer.alloc(length - 1, 'a'));
    const answer = (once(socket, 'data') as Promise<[Buffer]>).then(([first]) => String(first));
    answer.catch(() => {});
    return answer;
  }

  /** Fills a share of the budget for bodies until the end of the test. */
  function fill(bytes: number, owner: BodySender['owner'], of?: string): void {
    const group = of === undefined ? undefined : { of, part: 1 };
    const body = http.server.bodyBudget.open({ owner, ownerPart: 1, group, length: kibibyte });
    freed.push(body.use());
    body.add(bytes);
  }

  it.each([
    ['the sign-in page and the token endpoint', ['/.auth/sign-in', '/.auth/token']],
    ['a form of an organization', ['/app/acme/ask']],
  ])('hold at most 2 MiB for one address that is not signed in, at %s', async (_, paths) => {
    const answers = Array.from({ length: 40 }, (_each, index) =>
      nearly(paths[index % paths.length] ?? '', 60 * kibibyte),
    );
    expect(await Promise.race(answers)).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1\r\n/i);
    expect(held()).toBeLessThanOrEqual(2 * mebibyte);
    const page = await ada.submit(await ada.get('/app/acme/ask'), { prompt: 'Where?' }, '/app/acme/ask');
    expect(page.statusCode).toBe(303);
  });

  it('hold at most a quarter of the budget for all who are not signed in', async () => {
    fill(16 * mebibyte - 30 * kibibyte, 'others', 'not signed in');
    for (const path of ['/.auth/sign-in', '/.auth/token', '/.auth/register', '/app/acme/ask'])
      expect(await nearly(path, 60 * kibibyte)).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5\r\n/i);
    const page = await ada.submit(await ada.get('/app/acme/ask'), { prompt: 'Where?' }, '/app/acme/ask');
    expect(page.statusCode).toBe(303);
  });

  it('are received while others hold that quarter, if they are as small as those of a sign-in', async () => {
    fill(16 * mebibyte, 'others', 'not signed in');
    const eve = pageVisitor(http.server);
    const signedIn = await eve.submit(await eve.get('/.auth/sign-in'), {
      email: 'ada@example.com',
      password,
    });
    expect(signedIn.statusCode).toBe(303);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const token = {
      method: 'POST',
      url: '/.auth/token',
      headers: form,
      payload: 'grant_type=unknown',
    } as const;
    expect((await http.server.inject(token)).statusCode).toBe(400);
  });

  it('hold at most 8 MiB for a /48 of IPv6, small or not', async () => {
    fill(8 * mebibyte - kibibyte, senderNetworks('2001:db8:1::1'));
    const other = '2001:db8:1:ff00::1';
    for (const path of ['/.auth/sign-in', '/.auth/token'])
      expect(await nearly(path, 4 * kibibyte, new Map(), other)).toMatch(/^HTTP\/1\.1 429 /);
  });

  it('count together with those of /mcp and REST for a user', async () => {
    const { id } = await database.queries
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'ada@example.com')
      .executeTakeFirstOrThrow();
    fill(8 * mebibyte - 30 * kibibyte, id);
    expect(await nearly('/app/acme/ask', 60 * kibibyte, ada.cookies)).toMatch(/^HTTP\/1\.1 429 /);
  });

  it('count together for an organization, which leaves half of the budget to others', async () => {
    const { id } = await database.queries
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow();
    fill(32 * mebibyte - 30 * kibibyte, 'another member', id);
    expect(await nearly('/app/acme/ask', 60 * kibibyte, ada.cookies)).toMatch(/^HTTP\/1\.1 503 /);
    const other = { url: '/globex/api/v1/repositories', as: 'gil' } as const;
    const refused = { method: 'POST', payload: { source: 'x'.repeat(60 * kibibyte) } } as const;
    expect((await http.call({ ...other, ...refused })).statusCode).toBe(400);
  });

  it.each([
    ['/.auth/sign-in', 65 * kibibyte],
    ['/.auth/token', 65 * kibibyte],
    ['/.auth/device', 17 * kibibyte],
  ])('are not read if %s does not need them as large', async (path, length) => {
    expect(await nearly(path, length)).toMatch(/^HTTP\/1\.1 413 /);
    expect(held()).toBe(0);
  });
});
