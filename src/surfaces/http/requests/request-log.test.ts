import { describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../test/support/http/http-server.ts';

describe('the request log', async () => {
  const http = await useTestHttp();

  /** Returns the answer to a request, and the lines that it logs. */
  async function logged(request: Parameters<typeof http.call>[0]) {
    const before = http.logged.length;
    const answer = await http.call(request);
    return { answer, lines: http.logged.slice(before) };
  }

  it('has one line per request, with the path, the user and the status', async () => {
    const { answer, lines } = await logged({ url: '/acme/api/v1/repositories?limit=3' });
    expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toEqual([
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
    [
      '/acme/api/v1/repositories/01960000-0000-7000-8000-000000000000?a=b',
      '/acme/api/v1/repositories/01960000-0000-7000-8000-000000000000',
    ],
    ['/acme/api/v1/repositories/Something', '/acme/api/v1/repositories/:id'],
    ['/acme/api/v2/repositories', '/acme/…'],
    ['/mcp/', '/mcp/…'],
    ['/', '/'],
    ['/.env', '/…'],
    ['/acme/%zz', '/acme/…'],
    ['/%zz', '/…'],
  ])('names %s as %s', async (url, path) => {
    const { lines } = await logged({ url });
    expect(lines.map((line) => JSON.parse(line).path)).toContain(path);
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
    { url: '/.auth/link%2Fhunter2' },
    { url: '/.auth%2Flink%2Fhunter2' },
    { url: '/%2F.auth/link/hunter2' },
    { url: '/.auth//link/hunter2' },
    { url: '//.auth/link/hunter2' },
    { url: '//.auth/link//hunter2' },
    { url: '/.AUTH/LINK/hunter2' },
    { url: '/.auth/Link/hunter2?next=/' },
    { url: '/.auth/link/hunter2/#x' },
    { url: '/.auth/link?hunter2' },
    { url: '/.auth/./link/hunter2' },
    { url: '/.auth/../.auth/link/hunter2' },
    { url: '/.auth/link/%2e%2e/hunter2' },
    { url: '/.auth/link\\hunter2' },
    { url: '/.auth/link;hunter2' },
    { url: '/.auth/link/%00hunter2' },
    { url: '/x/.auth/link/hunter2' },
    { url: '/.auth/link/%zzhunter2' },
    { url: `/acme/api/v1/repositories/${'hunter2'.repeat(1_000)}` },
    { url: 'http://evil.example/.auth/link/hunter2' },
    { method: 'PUT' as const, url: '/.auth//link/hunter2' },
    { url: '/Hunter2Hunter2Hunter2Hunter2Hunter2Hunter2Hunter2'.replaceAll('Hunter2', 'xhunter2') },
    { url: '/acme/api/v1/repositories', headers: { authorization: 'Bearer hunter2', cookie: 'a=hunter2' } },
    { method: 'POST' as const, url: '/acme/api/v1/context', payload: { prompt: 'hunter2' } },
    { method: 'POST' as const, url: '/acme/api/v1/repositories', payload: '{"source":"hunter2' },
  ])('never contains a secret of the request: %j', async (request) => {
    const { answer, lines } = await logged({ as: 'admin', ...request });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain('hunter2');
    expect(JSON.stringify(answer.headers) + answer.body).not.toContain('hunter2');
  });
});
