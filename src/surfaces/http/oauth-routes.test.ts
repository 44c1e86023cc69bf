import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/databases.ts';
import { openTestHttp, publicOrigin, type TestHttpOptions } from '../../../test/support/http/http-server.ts';
import { openTestAuthorizationServer } from '../../../test/support/identity/authorization-server.ts';
import type { Database } from '../../foundation/db/database.ts';
import { RateLimited, TooLarge } from '../../foundation/kernel/errors.ts';

const plenty = 1_000;
const authorize = { method: 'GET', url: '/.auth/authorize' } as const;
const token = { method: 'POST', url: '/.auth/token' } as const;

describe('an error before the authorization server handles a request', () => {
  let database: Database;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
  });
  afterAll(() => database.close());

  async function serverThatThrows(error: unknown, options: TestHttpOptions = {}) {
    const oauth = await openTestAuthorizationServer(database, { baseUrl: publicOrigin });
    const throwing = { ...oauth, handle: () => Promise.reject(error) };
    return (await openTestHttp(database, { ...options, oauth: throwing })).server;
  }

  it.each([
    ['too many requests', new RateLimited('Wait 7 seconds.', { retryAfter: 6.2 }), 429, 'Wait 7 seconds.'],
    ['an internal error', new Error('column secret'), 500, 'failed to process the request'],
  ])('is a page for people: %s', async (_, error, status, text) => {
    const server = await serverThatThrows(error);
    const answer = await server.inject(authorize);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(answer.body).toContain(text);
    expect(answer.body).toContain(String(answer.headers['x-request-id']));
    expect(answer.body).not.toContain('secret');
  });

  it.each([
    [new RateLimited('Wait.', { retryAfter: 6.2 }), 429, 'temporarily_unavailable', { 'retry-after': '7' }],
    [new TooLarge('Too large.'), 413, 'invalid_request', { connection: 'close' }],
    [new Error('column secret'), 500, 'server_error', {}],
  ])('has the format of OAuth clients for programs: %s', async (error, status, name, headers) => {
    const answer = await (await serverThatThrows(error)).inject(token);
    expect([answer.statusCode, answer.json()]).toEqual([
      status,
      { error: name, error_description: expect.not.stringContaining('secret') },
    ]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    });
  });

  it('has the same format if the limit by address refuses the request', async () => {
    const limits = { address: plenty, credential: plenty, user: plenty, authorizationServer: 0 };
    const server = await serverThatThrows(new Error('not reached'), { limits });
    const page = await server.inject(authorize);
    expect([page.statusCode, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
    expect((await server.inject(token)).json()).toMatchObject({ error: 'temporarily_unavailable' });
  });
});
