import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import { describeRoutes } from '../../src/surfaces/http/route-table.ts';
import { describeEachDatabase } from '../support/database/databases.ts';
import { openTestHttp, type TestHttp } from '../support/http/http-server.ts';
import { noLimits } from '../support/http/no-limits.ts';
import { sampleSize } from '../support/run/long-run.ts';

const values = [
  '',
  '%00',
  '%0d%0aSet-Cookie:%20a=b',
  '%F0%9F%98%80',
  '%ED%A0%80',
  '..%2f..%2f..%2fetc%2fpasswd',
  '-1',
  '1e309',
  '9007199254740993',
  'true',
  '{}',
  '%7B%22$ne%22:null%7D',
  "'%20or%201=1--",
  'x'.repeat(9000),
];

const parameters = ['q', 'limit', 'cursor', 'context', 'path', 'lines', 'commit', '__proto__', 'constructor'];

/** Every value once, one value twice, as an array, as an object, and none. */
const queriesOf = (name: string): string[] => [
  ...values.map((value) => `${name}=${value}`),
  `${name}=a&${name}=b`,
  `${name}[]=a`,
  `${name}[a]=b`,
  name,
];

describeEachDatabase('hostile requests', (open) => {
  let http: TestHttp;

  beforeAll(async () => {
    http = await openTestHttp(await open(), {
      limits: noLimits,
    });
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    return () => http.server.close();
  });

  /** Sends bytes over the wire and returns everything that comes back. */
  async function sent(bytes: string): Promise<string> {
    const socket = connect((http.server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.end(bytes);
    return text(socket);
  }

  const fill = (path: string, slug: string, rest: string): string =>
    path.replace(':orgSlug', slug).replace(/:(?:id|token)/, rest);

  const routes = () =>
    describeRoutes(http.server).filter(({ method, path }) => path.startsWith('/') && method !== 'HEAD');

  /**
   * Returns every twentieth case, starting at another one for each route, so that all cases occur. Returns all of them
   * in `npm run test:long`.
   */
  const portionOf = <Case>(cases: readonly Case[], route: number): readonly Case[] => {
    const step = sampleSize({ sample: 20, all: 1 });
    return cases.filter((_, index) => index % step === route % step);
  };

  /** Expects a valid answer to any input: never a 5xx, and errors in the common format. */
  async function expectAnswer(method: string, url: string, payload?: unknown): Promise<void> {
    const answer = await http.call({
      method,
      url,
      as: 'owner',
      ...(payload !== undefined && { payload: payload as object }),
    });
    const request = `${method} ${url.slice(0, 200)} ${JSON.stringify(payload)?.slice(0, 100) ?? ''}`;
    if (!isWithoutWebhookSecret(answer)) {
      expect([request, answer.statusCode]).toEqual([
        request,
        expect.toSatisfy((status: number) => status < 500),
      ]);
    }
    // Pages for browsers have their own cookies. Programs get none.
    if (!url.startsWith('/.auth/')) expect(answer.headers['set-cookie']).toBeUndefined();
    if (answer.statusCode >= 400 && method !== 'HEAD' && !url.startsWith('/.auth/')) {
      expect([request, answer.headers['content-type']]).toEqual([request, 'application/problem+json']);
    }
  }

  it('with malformed, repeated, listed or oversized query parameters cause no server error', async () => {
    const id = '01960000-0000-7000-8000-000000000000';
    for (const [index, { method, path }] of routes().entries()) {
      for (const query of portionOf(parameters.flatMap(queriesOf), index)) {
        await expectAnswer(method, `${fill(path, 'acme', id)}?${query}`);
      }
    }
  });

  it('with odd slugs, ids and tokens in the path cause no server error', async () => {
    const segments = [...values.filter((value) => value !== ''), '.', '%2e%2e', '%2F', 'acme%00', '%25', '~'];
    for (const [index, { method, path }] of routes().entries()) {
      for (const segment of portionOf(segments, index)) {
        await expectAnswer(method, fill(path, segment, 'x'));
        await expectAnswer(method, fill(path, 'acme', segment));
      }
    }
  });

  it('with odd bodies cause no server error', async () => {
    const texts = [
      '',
      '\u0000',
      '\uD800',
      'x'.repeat(40_000),
      '-rf',
      '$(id)',
      'ext::sh',
      '\u202E',
      7,
      null,
      {},
      [],
    ];
    for (const path of ['context', 'repositories']) {
      for (const value of texts) {
        for (const name of ['prompt', 'source', 'branch', 'name', 'githostConnectionId', 'limit']) {
          const payload = { prompt: 'a', source: 'https://git.example/a', [name]: value };
          await expectAnswer('POST', `/acme/api/v1/${path}`, payload);
          const { prompt: _prompt, ...source } = payload;
          await expectAnswer('POST', `/acme/api/v1/${path}`, path === 'context' ? { prompt: value } : source);
        }
      }
    }
  });

  it('do not bypass the Origin check with another spelling of the path', async () => {
    for (const target of ['http://evil.example/mcp', '/%6dcp', 'http://a/acme/api/v1/search?q=a']) {
      const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\nConnection: close\r\n\r\n`;
      expect(await sent(request)).toMatch(/^HTTP\/1\.1 403 /);
    }
  });

  it.each([
    ['a path with ..', 'GET /acme/api/v1/../../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n', 404],
    ['two lengths', 'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    [
      'a length together with chunks',
      'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\nSet-Cookie: b\r\n\r\n', 400],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 400],
    ['no Host', 'GET /.status HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ])('with %s on the wire are refused', async (_what, bytes, status) => {
    const answer = await sent(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toContain('root:');
  });
});

/** A tracker webhook that no secret can verify is 503 (specification, Errors). */
function isWithoutWebhookSecret({
  statusCode,
  body,
}: {
  readonly statusCode: number;
  readonly body: string;
}) {
  return statusCode === 503 && body.includes('"code":"webhook_secret_missing"');
}
