import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { openTestPages } from '../../../../test/support/http/pages.ts';

/** The Accept header of browsers. */
const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('a path without a route', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
  });
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });

  const get = (url: string, accept?: string) =>
    http.server.inject({ method: 'GET', url, headers: accept === undefined ? {} : { accept } });

  it.each(['/nothing', '/.auth/nothing', '/apis', '/.auth/"><script>alert(1)</script>'])(
    'is a page for a browser: %s',
    async (url) => {
      const answer = await get(url, html);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answer.body).toContain('<h1>Page not found</h1>');
      expect(answer.body).toContain('<a href="/">');
      expect(answer.body).not.toContain('script');
      expect(answer.headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cache-control': 'no-store',
      });
    },
  );

  it.each([
    ['/nothing', undefined],
    ['/nothing', '*/*'],
    ['/nothing', 'application/json'],
    ['/api/v1/nothing', html],
    ['/acme/api/v1/nothing', html],
    ['/mcp/nothing', html],
    ['/acme/mcp', html],
  ])('is a problem for a program: %s, which accepts %s', async (url, accept) => {
    const answer = await get(url, accept);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      404,
      expect.stringContaining('application/problem+json'),
    ]);
    expect(answer.json()).toMatchObject({ code: 'not_found' });
  });

  it('stays a problem with the allowed methods if only the method is wrong', async () => {
    const answer = await http.server.inject({ method: 'POST', url: '/.status', headers: { accept: html } });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, expect.stringContaining('GET')]);
  });

  it.each([
    ['/app/acme/', '/app/acme'],
    ['/app/acme/?tab=a%2Fb', '/app/acme?tab=a%2Fb'],
    ['/.auth/sign-in/', '/.auth/sign-in'],
  ])('redirects the page %s to %s', async (url, location) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await http.server.inject({ method, url, headers: { accept: html } });
      expect([answer.statusCode, answer.headers.location]).toEqual([308, location]);
    }
  });

  it.each([
    ['POST', '/app/acme/'],
    ['GET', '/nothing/'],
    ['GET', '//evil.example/'],
    ['GET', '//evil.example/app/acme/'],
    ['GET', '/app/acme//'],
    ['GET', '/acme/api/v1/repositories/'],
  ] as const)('redirects no other request: %s %s', async (method, url) => {
    const answer = await http.server.inject({ method, url, headers: { accept: html } });
    expect(answer.headers.location).toBeUndefined();
    expect([401, 404, 405]).toContain(answer.statusCode);
  });
});
