import { describe, expect, it } from 'vitest';
import { listedOrigin, publicOrigin, useTestHttp } from '../../../../test/support/http/http-server.ts';
import { describeRoutes } from '../route-table.ts';

describe('browser origins', async () => {
  const http = await useTestHttp({
    plugins: [
      { name: 'mcp', plugin: async (server) => void server.post('/mcp', async () => ({ jsonrpc: '2.0' })) },
    ],
  });

  const preflight = (url: string, origin: string) =>
    http.server.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,mcp-protocol-version',
      },
    });

  it.each([
    ['/mcp', 'https://evil.example'],
    ['/acme/api/v1/repositories', 'https://evil.example'],
    ['/acme/api/v1/nothing', 'https://evil.example'],
    ['/api/v1/me', 'https://evil.example'],
    ['/api/v1/nothing', 'https://evil.example'],
    ['/%61pi/v1/me', 'https://evil.example'],
    ['/mcp', 'null'],
    ['/mcp', 'https://ctx.example.evil.example'],
    ['/mcp', 'http://ctx.example'],
    ['/mcp', 'https://ctx.example:8443'],
    ['/mcp', `${publicOrigin}, https://evil.example`],
    ['/mcp?access_token=x', 'https://evil.example'],
    ['/%6dcp', 'https://evil.example'],
    ['/acme/%61pi/v1/repositories', 'https://evil.example'],
  ])('%s refuses %s before any other check', async (url, origin) => {
    const method = url.endsWith('/me') ? 'GET' : 'POST';
    const answer = await http.server.inject({ method, url, headers: { origin } });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'forbidden' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect((await preflight(url, origin)).statusCode).toBe(403);
  });

  it.each([publicOrigin, listedOrigin])('lets pages of %s call and read the response', async (origin) => {
    const answer = await http.call({ url: '/acme/api/v1/repositories', headers: { origin } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers['access-control-expose-headers']).toMatch(/^ETag, WWW-Authenticate/);
    expect(answer.headers.vary).toContain('Origin');
  });

  it('lets them read error responses', async () => {
    const headers = { origin: listedOrigin };
    const answer = await http.server.inject({ url: '/acme/api/v1/repositories', headers });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBe(listedOrigin);
  });

  it('answers their preflights without a credential', async () => {
    for (const url of ['/mcp', '/acme/api/v1/context', '/api/v1/me']) {
      const answer = await preflight(url, listedOrigin);
      expect(answer.statusCode).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe(listedOrigin);
      expect(answer.headers['access-control-allow-methods']).toContain('POST');
      expect(answer.headers['access-control-allow-headers']).toContain('mcp-protocol-version');
    }
  });

  it('lets requests without an Origin pass', async () => {
    expect((await http.server.inject({ method: 'POST', url: '/mcp' })).statusCode).toBe(200);
    expect((await http.call({ url: '/acme/api/v1/repositories' })).statusCode).toBe(200);
  });

  it('guards every route that asks for a credential', async () => {
    const asking: string[] = [];
    for (const { method, path } of describeRoutes(http.server)) {
      const url = path.replaceAll(/:\w+/g, 'acme');
      const call = { method, url } as const;
      if ((await http.server.inject(call)).statusCode !== 401 || path.includes('/webhook/')) continue;
      asking.push(path);
      const answer = await http.server.inject({ ...call, headers: { origin: 'https://evil.example' } });
      expect([method, path, answer.statusCode]).toEqual([method, path, 403]);
    }
    expect(asking).toEqual(expect.arrayContaining(['/api/v1/me', '/:orgSlug/api/v1/repositories']));
  });

  it('refuses cross-origin access to all other paths', async () => {
    const answer = await http.server.inject({ url: '/.status', headers: { origin: listedOrigin } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});
