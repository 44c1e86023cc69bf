import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/databases.ts';
import { openTestHttp, type TestHttp } from '../../../test/support/http-server.ts';
import type { Database } from '../../foundation/db/database.ts';

describe('the request log', () => {
  let database: Database;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
  });
  beforeEach(async () => {
    http = await openTestHttp(database);
  });
  afterAll(() => database.close());

  it('has one line a request: what was called, by whom, and how it ended', async () => {
    const answer = await http.call({ url: '/acme/api/v1/repositories?limit=3' });
    const lines = http.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'request',
        method: 'GET',
        path: '/acme/api/v1/repositories',
        status: 200,
        requestId: answer.headers['x-request-id'],
        userId: expect.any(String),
        ms: expect.any(Number),
      }),
    ]);
  });

  it.each([
    { url: '/acme/api/v1/repositories?access_token=hunter2' },
    { url: '/mcp?Access-Token[]=hunter2' },
    { url: '/acme/api/v1/search?q=hunter2' },
    { url: '/acme/api/v1/search?hunter2' },
    { url: '/.auth/link/hunter2' },
    { url: '/.auth/l%69nk/hunter2' },
    { url: '/.auth/link/hunter2/more' },
    { url: '/.auth/l%69nk/hunter2/more' },
    { method: 'POST' as const, url: '/.auth/link/hunter2' },
    { url: '/.auth/invitation/hunter2' },
    { method: 'POST' as const, url: '/.auth/invitation/hunter2' },
    { url: '/acme/api/v1/repositories', headers: { authorization: 'Bearer hunter2', cookie: 'a=hunter2' } },
    { method: 'POST' as const, url: '/acme/api/v1/context', payload: { prompt: 'hunter2' } },
    { method: 'POST' as const, url: '/acme/api/v1/repositories', payload: '{"source":"hunter2' },
  ])('never holds a secret of the request: %j', async (request) => {
    const answer = await http.call({ as: 'admin', ...request });
    expect(http.logged.length).toBeGreaterThan(0);
    expect(http.logged.join('')).not.toContain('hunter2');
    expect(JSON.stringify(answer.headers) + answer.body).not.toContain('hunter2');
  });
});
