import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../test/support/http/http-server.ts';
import { NulRefused, refuseNul } from '../../../foundation/db/refuse-nul.ts';
import { RateLimited, Unavailable } from '../../../foundation/kernel/errors.ts';
import { withNulFields } from './nul-fields.ts';

describe('error answers', async () => {
  const http = await useTestHttp({
    plugins: [
      {
        name: 'errors',
        plugin: async (server) => {
          server.get('/stored/:key', ({ params, query }) => {
            refuseNul(Object.values({ ...(params as object), ...(query as object) }));
          });
          server.get('/error/:kind', (request) => {
            throw errors[(request.params as { kind: string }).kind] ?? new Error('unknown error');
          });
        },
      },
    ],
  });
  await http.server.listen({ host: '127.0.0.1', port: 0 });

  const errors: Record<string, unknown> = {
    own: new Error('the password is hunter2', { cause: new Error('deep') }),
    text: 'thrown text',
    busy: new Unavailable('overloaded', 'Come back later.', { retryAfter: 2.2 }),
    limited: new RateLimited('Slower, please.', { retryAfter: 0 }),
  };

  it.each([
    [
      'unknown members of a body',
      post('{"source":"https://git.example/a","x/y":1,"z":2,"branches":[7]}'),
      {
        detail: 'The request is not valid: correct branches.0, x/y, z.',
        errors: [
          { path: '/branches/0', message: expect.stringContaining('expected string') },
          { path: '/x~1y', message: 'Unrecognized key' },
          { path: '/z', message: 'Unrecognized key' },
        ],
      },
    ],
    [
      'a NUL in the query',
      { url: '/stored/a?p=c&q=a%00b' },
      { errors: [{ path: '/q', message: 'contains a NUL character' }] },
    ],
    [
      'a NUL in the path',
      { url: '/stored/a%00b' },
      { errors: [{ path: '/key', message: 'contains a NUL character' }] },
    ],
  ] as const)('%s is named by a pointer', async (_what, request, expected) => {
    const answer = await http.call({ ...(request as InjectOptions), as: 'admin' });
    expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed', ...expected });
  });

  it.each([
    ['a path that nobody serves', { url: '/nothing/here' }, 404, 'not_found'],
    ['malformed JSON', post('{"source":'), 400, 'validation_failed'],
    [
      'a body that is no JSON',
      post('source=x', 'application/x-www-form-urlencoded'),
      415,
      'unsupported_media_type',
    ],
    [
      'a body over 1 MiB',
      post(JSON.stringify({ source: 'x'.repeat(1024 * 1024) })),
      413,
      'payload_too_large',
    ],
    ['the method QUERY', { method: 'QUERY', url: '/acme/api/v1/repositories' }, 405, 'method_not_allowed'],
    ['the method QUERY on /.status', { method: 'QUERY', url: '/.status' }, 405, 'method_not_allowed'],
    ['the method QUERY without a route', { method: 'QUERY', url: '/nothing' }, 404, 'not_found'],
    ['the method PROPFIND', { method: 'PROPFIND', url: '/.status' }, 405, 'method_not_allowed'],
    ['prototype pollution', post('{"__proto__":{"a":1}}'), 400, 'validation_failed'],
    ['a body that is null', post('null'), 400, 'validation_failed'],
    ['no body', { method: 'POST', url: '/acme/api/v1/repositories' }, 400, 'validation_failed'],
    ['a badly encoded path', { url: '/%E0%A4%A' }, 400, 'validation_failed'],
    [
      'a parameter of 5,000 characters',
      { url: `/acme/api/v1/repositories/${'a'.repeat(5000)}` },
      404,
      'not_found',
    ],
  ] as const)('%s is a problem', async (_what, request, status, code) => {
    const answer = await http.call({ ...(request as InjectOptions), as: 'admin' });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(answer.headers['x-request-id']).toBe(answer.json<{ requestId: string }>().requestId);
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: expect.any(String),
      status,
      detail: expect.any(String),
      code,
      requestId: expect.any(String),
      ...(answer.json<{ errors?: unknown }>().errors !== undefined && { errors: expect.any(Array) }),
    });
  });

  it.each([
    ['a query', { url: '/acme/api/v1/search?q=x&limit=0&context=99' }, ['/limit', '/context']],
    ['a query that is not UTF-8', { url: '/acme/api/v1/search?%FF=1' }, ['']],
    ['the items of a list', post('{"source":1,"branches":["main",2]}'), ['/source', '/branches/1']],
    ['a whole body', post('[]'), ['']],
    ['a rule of the product', post('{"source":"relative/folder"}'), ['/source']],
  ] as const)('points to each invalid field of a request (RFC 6901): %s', async (_what, request, paths) => {
    const answer = await http.call({ ...(request as InjectOptions), as: 'admin' });
    expect(answer.statusCode).toBe(400);
    const problem = answer.json<{ errors?: { path: string }[] }>();
    expect(problem.errors?.map(({ path }) => path)).toEqual(paths);
  });

  it('logs an unexpected error, and returns only its id to the caller', async () => {
    for (const kind of ['own', 'text']) {
      const answer = await http.server.inject(`/error/${kind}`);
      const { requestId } = answer.json<{ requestId: string }>();
      expect(answer.json()).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        code: 'internal',
        requestId,
      });
      const line = http.logged.find(
        (logged) => logged.includes(requestId) && logged.includes('request failed'),
      );
      expect(line).toContain(kind === 'own' ? 'deep' : 'thrown text');
    }
  });

  it('logs the expected errors of a busy service without a stack', async () => {
    const { requestId } = (await http.server.inject('/error/busy')).json<{ requestId: string }>();
    const lines = http.logged.filter((logged) => logged.includes(requestId) && logged.includes('overloaded'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('stack');
  });

  it('sets Retry-After to whole seconds, at least one', async () => {
    expect((await http.server.inject('/error/busy')).headers['retry-after']).toBe('3');
    expect((await http.server.inject('/error/limited')).headers['retry-after']).toBe('1');
  });

  it.each([
    ['DELETE', '/acme/api/v1/search', 'GET, HEAD'],
    ['PUT', '/acme/api/v1/repositories', 'GET, HEAD, POST'],
    ['POST', '/.status', 'GET, HEAD'],
    ['OPTIONS', '/.status', 'GET, HEAD'],
  ] as const)('%s %s is answered with the methods there are', async (method, url, allow) => {
    const answer = await http.server.inject({ method, url });
    expect(answer.statusCode).toBe(405);
    expect(answer.json()).toMatchObject({ code: 'method_not_allowed' });
    expect(answer.headers.allow?.toString().split(', ').toSorted().join(', ')).toBe(allow);
  });

  it.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n', 400],
    ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s also get a problem', async (_what, bytes, status) => {
    const socket = connect((http.server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(bytes);
    const answer = await text(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ status });
  });

  it('generates the request id and ignores one of the caller', async () => {
    const answer = await http.server.inject({ url: '/.status', headers: { 'x-request-id': 'forged\u0085' } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it('points to a NUL in a list of a body', () => {
  const request = { query: {}, params: {}, body: { names: ['a', 'b\0'], more: null } };
  expect(withNulFields(new NulRefused('A text contains a NUL.'), request)).toMatchObject({
    errors: [{ path: '/names/1', message: 'contains a NUL character' }],
  });
});

function post(payload: string, type = 'application/json') {
  return {
    method: 'POST',
    url: '/acme/api/v1/repositories',
    payload,
    headers: { 'content-type': type },
  } as const;
}
