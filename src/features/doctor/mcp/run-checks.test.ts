import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../foundation/net/http-client.ts';
import type { CheckId, DoctorReport } from './report.ts';
import { runChecks } from './run-checks.ts';

type Reply = { status: number; headers?: Record<string, string>; body?: unknown };
type Route = (origin: string, request: IncomingMessage) => Reply;

const healthy: Readonly<Record<string, Route>> = {
  '/.status': () => ({ status: 200, body: { status: 'ok', timestamp: '2026-11-21T00:00:00.000Z' } }),
  '/mcp': (origin) => ({
    status: 401,
    headers: {
      'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="mcp"`,
    },
  }),
  '/.well-known/oauth-protected-resource/mcp': (origin) => ({
    status: 200,
    body: { resource: `${origin}/mcp`, authorization_servers: [origin] },
  }),
  '/.well-known/oauth-authorization-server': (origin) => ({
    status: 200,
    body: {
      issuer: origin,
      authorization_endpoint: `${origin}/.auth/authorize`,
      token_endpoint: `${origin}/.auth/token`,
      registration_endpoint: `${origin}/.auth/register`,
    },
  }),
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function instance(broken: Readonly<Record<string, Route>> = {}): Promise<string> {
  const routes = { ...healthy, ...broken };
  const started = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
    const route = routes[new URL(request.url ?? '/', origin).pathname];
    const { status, headers, body } = route?.(origin, request) ?? { status: 404 };
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

async function diagnose(url: string): Promise<DoctorReport> {
  const http = createHttpClient({ allowHosts: [] });
  try {
    return await runChecks({
      http,
      target: new URL(url),
      signal: AbortSignal.timeout(15_000),
      now: Date.now,
    });
  } finally {
    await http.close();
  }
}

function found(report: DoctorReport, id: CheckId) {
  const check = report.checks.find((one) => one.id === id);
  if (check === undefined) throw new Error(`no check ${id}`);
  return check;
}

describe('a healthy instance', () => {
  it('on loopback http passes every check with the one warning about http', async () => {
    const report = await diagnose(`${await instance()}/mcp?orgSlug=acme`);
    expect(report.checks.map((check) => [check.id, check.status])).toEqual([
      ['target', 'warning'],
      ['backend-status', 'pass'],
      ['oauth-challenge', 'pass'],
      ['protected-resource', 'pass'],
      ['authorization-server', 'pass'],
    ]);
    expect(report).toMatchObject({ schemaVersion: 1, status: 'warning' });
    expect(report.url).toMatch(/\/mcp\?orgSlug=acme$/);
  });
});

describe('a wrong target', () => {
  it.each([
    ['another path', 'http://127.0.0.1:1/api', /not \/mcp/],
    ['a trailing slash', 'http://127.0.0.1:1/mcp/', /not \/mcp/],
    ['plain http to a remote origin', 'http://context.example.com/mcp', /plain HTTP/],
    ['user information', 'https://user:s3cret-value@context.example.com/mcp', /user information/],
    ['a token in the query', 'https://context.example.com/mcp?access_token=s3cret-value', /token/],
  ])('fails on %s, asks nothing further and prints no secret', async (_case, url, message) => {
    const report = await diagnose(url);
    expect(found(report, 'target')).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(message),
    });
    expect(report.checks.slice(1).every((check) => check.status === 'skipped')).toBe(true);
    expect(report.status).toBe('failed');
    expect(JSON.stringify(report)).not.toContain('s3cret-value');
  });
});

describe('a broken instance names the cause and the cure', () => {
  const cases: readonly [string, Record<string, Route>, CheckId, RegExp][] = [
    [
      '/.status not ok',
      { '/.status': () => ({ status: 503, body: { status: 'unavailable' } }) },
      'backend-status',
      /healthy/,
    ],
    [
      '/.status not JSON',
      { '/.status': () => ({ status: 200, body: '<html>' }) },
      'backend-status',
      /proxy page/,
    ],
    [
      '/.status redirecting',
      { '/.status': () => ({ status: 301, headers: { location: '/x' } }) },
      'backend-status',
      /AUTH_BASE_URL/,
    ],
    ['no challenge', { '/mcp': () => ({ status: 200 }) }, 'oauth-challenge', /401 only/],
    [
      'a Basic challenge',
      { '/mcp': () => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }) },
      'oauth-challenge',
      /WWW-Authenticate/,
    ],
    [
      'a challenge without resource_metadata',
      { '/mcp': () => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } }) },
      'oauth-challenge',
      /cannot start OAuth discovery/,
    ],
    [
      'metadata of another origin in the challenge',
      {
        '/mcp': () => ({
          status: 401,
          headers: { 'www-authenticate': 'Bearer resource_metadata="http://internal:3000/x"' },
        }),
      },
      'oauth-challenge',
      /AUTH_BASE_URL/,
    ],
    [
      'a resource with a query',
      {
        '/.well-known/oauth-protected-resource/mcp': (origin) => ({
          status: 200,
          body: { resource: `${origin}/mcp?orgSlug=acme`, authorization_servers: [origin] },
        }),
      },
      'protected-resource',
      /without a query/,
    ],
    [
      'no authorization server named',
      {
        '/.well-known/oauth-protected-resource/mcp': (origin) => ({
          status: 200,
          body: { resource: `${origin}/mcp` },
        }),
      },
      'protected-resource',
      /authorization_servers/,
    ],
    [
      'no authorization-server metadata',
      { '/.well-known/oauth-authorization-server': () => ({ status: 404 }) },
      'authorization-server',
      /API keys work/,
    ],
    [
      'an issuer that differs by a slash',
      {
        '/.well-known/oauth-authorization-server': (origin) => ({
          status: 200,
          body: { issuer: `${origin}/` },
        }),
      },
      'authorization-server',
      /RFC 8414/,
    ],
    [
      'no registration endpoint',
      {
        '/.well-known/oauth-authorization-server': (origin) => ({
          status: 200,
          body: { issuer: origin, authorization_endpoint: `${origin}/a`, token_endpoint: `${origin}/t` },
        }),
      },
      'authorization-server',
      /dynamic client registration cannot proceed/,
    ],
  ];

  it.each(cases)('%s', async (_case, broken, id, hint) => {
    const report = await diagnose(`${await instance(broken)}/mcp`);
    expect(found(report, id)).toMatchObject({ status: 'fail', hint: expect.stringMatching(hint) });
    expect(report.status).toBe('failed');
  });

  it.each(['http://127.8.8.8:9/mcp', 'http://app.localhost:9/mcp', 'http://[::1]:9/mcp'])(
    'plain http to %s is a warning, as for AUTH_BASE_URL',
    async (url) => {
      expect(found(await diagnose(url), 'target')).toMatchObject({ status: 'warning' });
    },
  );

  it('nothing listening: the rest is skipped, so that one fault is reported once', async () => {
    const report = await diagnose('http://127.0.0.1:9/mcp');
    expect(found(report, 'backend-status')).toMatchObject({
      status: 'fail',
      evidence: { reason: 'refused' },
    });
    expect(report.checks.slice(2).map((check) => check.status)).toEqual(['skipped', 'skipped', 'skipped']);
  });

  it('an authorization server is never asked when the metadata names one of another origin', async () => {
    const elsewhere: Route = (origin) => ({
      status: 200,
      body: { resource: `${origin}/mcp`, authorization_servers: ['http://169.254.169.254'] },
    });
    const report = await diagnose(
      `${await instance({ '/.well-known/oauth-protected-resource/mcp': elsewhere })}/mcp`,
    );
    expect(found(report, 'authorization-server')).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/another origin/),
    });
  });
});
