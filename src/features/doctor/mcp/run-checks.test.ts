import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  type InstanceRoutes,
  resourcePath,
  serverPath,
  startMcpInstance,
} from '../../../../test/standins/mcp-instance.ts';
import {
  challenge,
  checkOf,
  diagnose,
  diagnoseBroken,
  resource,
  server,
} from '../../../../test/support/program/diagnose.ts';
import type { CheckId } from './report.ts';

describe('a healthy instance', () => {
  it('on loopback http passes every check with the one warning about http', async () => {
    await using instance = await startMcpInstance();
    const report = await diagnose(`${instance.mcpUrl}?orgSlug=acme`);
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

  it('receives the requests that clients send, without credentials', async () => {
    await using instance = await startMcpInstance();
    await diagnose(instance.mcpUrl);
    expect(instance.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /.status',
      'POST /mcp',
      'GET /mcp',
      `GET ${resourcePath}/mcp`,
      `GET ${resourcePath}`,
      `GET ${serverPath}`,
    ]);
    expect(instance.requests.flatMap(({ headers }) => [headers.authorization, headers.cookie])).toEqual(
      Array.from({ length: 12 }, () => undefined),
    );
  });

  it('may challenge with other schemes besides Bearer', async () => {
    const report = await diagnoseBroken(
      challenge((metadata) => `Basic realm="x", Bearer scope="mcp", resource_metadata="${metadata}"`),
    );
    expect(checkOf(report, 'oauth-challenge')).toMatchObject({ status: 'pass' });
  });
});

describe('a wrong target', () => {
  it.each([
    ['another path', 'http://127.0.0.1:1/api', /not \/mcp/],
    ['a trailing slash', 'http://127.0.0.1:1/mcp/', /not \/mcp/],
    ['plain http to a remote origin', 'http://context.example.com/mcp', /plain HTTP/],
    ['user information', 'https://user:s3cret-value@context.example.com/mcp', /user information/],
    ['a token in the query', 'https://context.example.com/mcp?access_token=s3cret-value', /token/],
    ['a token in the fragment', 'https://context.example.com/mcp#access_token=s3cret-value', /token/],
    ['a key under another name', 'https://context.example.com/mcp?k=ock_s3cret-value', /token/],
    ['a key for a slug', 'https://context.example.com/mcp?orgSlug=ock_s3cret-value', /token/],
    ['a key in the path', 'https://context.example.com/mcp/ock_s3cret-value', /not \/mcp/],
  ])('fails on %s, sends no request and prints no secret', async (_case, url, message) => {
    const report = await diagnose(url);
    expect(checkOf(report, 'target')).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(message),
    });
    expect(report.checks.slice(1).every((check) => check.status === 'skipped')).toBe(true);
    expect(report.status).toBe('failed');
    expect(JSON.stringify(report)).not.toContain('s3cret-value');
  });

  it.each(['http://127.8.8.8:9/mcp', 'http://app.localhost:9/mcp', 'http://[::1]:9/mcp'])(
    'plain http to %s is a warning, as for AUTH_BASE_URL',
    async (url) => {
      expect(checkOf(await diagnose(url), 'target')).toMatchObject({ status: 'warning' });
    },
  );
});

describe('the report of a broken instance names the cause and the fix', () => {
  const unhealthy = { status: 503, body: { status: 'unavailable' } };
  const cases: readonly [string, InstanceRoutes, CheckId, RegExp][] = [
    ['/.status not ok', { '/.status': () => unhealthy }, 'backend-status', /not healthy.*database/],
    [
      '/.status 200 and not ok',
      { '/.status': () => ({ ...unhealthy, status: 200 }) },
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
    ['no challenge', { '/mcp': () => ({ status: 200 }) }, 'oauth-challenge', /401 only.*another program/],
    ['a firewall', { '/mcp': () => ({ status: 403 }) }, 'oauth-challenge', /401 only.*firewall/],
    ['/mcp not routed', { '/mcp': () => ({ status: 404 }) }, 'oauth-challenge', /proxy pass \/mcp/],
    [
      'a proxy that does not reach the backend',
      { '/.status': () => ({ status: 502, body: '<h1>502 Bad Gateway</h1>' }) },
      'backend-status',
      /^Start orgctx serve/,
    ],
    ['an endpoint that fails', { '/mcp': () => ({ status: 500 }) }, 'oauth-challenge', /log of orgctx serve/],
    [
      'an endpoint that redirects',
      { '/mcp': () => ({ status: 308, headers: { location: '/mcp/' } }) },
      'oauth-challenge',
      /do not follow redirects/,
    ],
    ['a 401 without a challenge', { '/mcp': () => ({ status: 401 }) }, 'oauth-challenge', /WWW-Authenticate/],
    ['a Basic challenge', challenge(() => 'Basic realm="x"'), 'oauth-challenge', /WWW-Authenticate/],
    [
      'a challenge without resource_metadata',
      challenge(() => 'Bearer'),
      'oauth-challenge',
      /cannot start OAuth discovery/,
    ],
    [
      'resource_metadata of another scheme of the challenge',
      challenge((metadata) => `Basic resource_metadata="${metadata}", Bearer`),
      'oauth-challenge',
      /cannot start OAuth discovery/,
    ],
    [
      'metadata of another origin in the challenge',
      challenge(() => 'Bearer resource_metadata="http://internal:3000/x"'),
      'oauth-challenge',
      /AUTH_BASE_URL/,
    ],
    [
      'no protected-resource metadata',
      { [`${resourcePath}/mcp`]: () => ({ status: 404 }) },
      'protected-resource',
      /Route \/.well-known\//,
    ],
    [
      'a page for protected-resource metadata',
      { [`${resourcePath}/mcp`]: () => ({ status: 200, body: '<html>' }) },
      'protected-resource',
      /Route \/.well-known\//,
    ],
    [
      'a sign-in before the metadata',
      { [`${resourcePath}/mcp`]: () => ({ status: 401 }) },
      'protected-resource',
      /before any sign-in/,
    ],
    [
      'a resource with a query',
      resource((origin) => ({ resource: `${origin}/mcp?orgSlug=acme` })),
      'protected-resource',
      /without a query/,
    ],
    [
      'a resource with a slash at its end',
      resource((origin) => ({ resource: `${origin}/mcp/` })),
      'protected-resource',
      /slash/,
    ],
    [
      'a resource of another origin',
      resource(() => ({ resource: 'http://internal:3000/mcp' })),
      'protected-resource',
      /AUTH_BASE_URL/,
    ],
    ['no resource', resource(() => ({ resource: undefined })), 'protected-resource', /It must be/],
    [
      'no authorization server named',
      resource(() => ({ authorization_servers: undefined })),
      'protected-resource',
      /authorization_servers/,
    ],
    [
      'an empty list of authorization servers',
      resource(() => ({ authorization_servers: [] })),
      'protected-resource',
      /authorization_servers/,
    ],
    [
      'no authorization-server metadata',
      { [serverPath]: () => ({ status: 404 }) },
      'authorization-server',
      /cannot sign in by OAuth/,
    ],
    [
      'an issuer that differs by a slash',
      server((origin) => ({ issuer: `${origin}/` })),
      'authorization-server',
      /RFC 8414/,
    ],
    [
      'no registration endpoint',
      server(() => ({ registration_endpoint: undefined })),
      'authorization-server',
      /dynamic client registration cannot proceed/,
    ],
    [
      'no authorization endpoint',
      server(() => ({ authorization_endpoint: undefined })),
      'authorization-server',
      /nobody can sign in/,
    ],
    [
      'no token endpoint',
      server(() => ({ token_endpoint: 1 })),
      'authorization-server',
      /nobody can sign in/,
    ],
    [
      'an endpoint of another origin',
      server(() => ({ token_endpoint: 'http://internal:3000/token' })),
      'authorization-server',
      /AUTH_BASE_URL/,
    ],
    [
      'no PKCE',
      server(() => ({ code_challenge_methods_supported: undefined })),
      'authorization-server',
      /S256/,
    ],
    [
      'PKCE with plain only',
      server(() => ({ code_challenge_methods_supported: ['plain'] })),
      'authorization-server',
      /S256/,
    ],
    [
      'no authorization code',
      server(() => ({ response_types_supported: ['token'] })),
      'authorization-server',
      /no other flow/,
    ],
  ];

  it.each(cases)('%s', async (_case, broken, id, hint) => {
    const report = await diagnoseBroken(broken);
    expect(checkOf(report, id)).toMatchObject({ status: 'fail', hint: expect.stringMatching(hint) });
    expect(report.status).toBe('failed');
  });

  it('nothing listening: the rest is skipped, so that one error is reported once', async () => {
    const report = await diagnose('http://127.0.0.1:9/mcp');
    expect(checkOf(report, 'backend-status')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('start the backend'),
      evidence: { reason: 'refused' },
    });
    expect(report.checks.slice(2).map((check) => check.status)).toEqual(['skipped', 'skipped', 'skipped']);
  });

  it('/.status timing out: the backend, DNS or TLS', async () => {
    const report = await diagnoseBroken({ '/.status': () => 'hangs' }, { timeoutMs: 300 });
    expect(checkOf(report, 'backend-status')).toMatchObject({
      status: 'fail',
      hint: expect.stringMatching(/backend, DNS or TLS/),
      evidence: { reason: 'timeout' },
    });
  });

  it('a name without an address: DNS', async () => {
    const report = await diagnose('https://nowhere.invalid/mcp');
    expect(checkOf(report, 'backend-status')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('DNS'),
    });
  });

  it('a server that does not use HTTP', async () => {
    const listener = createServer((socket) => socket.end('SSH-2.0-none\r\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => listener.once('listening', resolve));
    const { port } = listener.address() as { port: number };
    const report = await diagnose(`http://127.0.0.1:${port}/mcp`);
    listener.close();
    expect(checkOf(report, 'backend-status')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('no HTTP server'),
    });
  });

  it('an authorization server at another origin receives no request', async () => {
    const report = await diagnoseBroken(
      resource(() => ({ authorization_servers: ['http://169.254.169.254'] })),
    );
    expect(checkOf(report, 'authorization-server')).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/another origin/),
    });
  });

  it('a redirect is reported without its query, which may contain a token', async () => {
    const location = 'https://login.example/?state=s3cret-value\u001b[31m';
    const report = await diagnoseBroken({
      [`${resourcePath}/mcp`]: () => ({ status: 302, headers: { location: encodeURI(location) } }),
    });
    expect(checkOf(report, 'protected-resource').evidence).toMatchObject({
      location: 'https://login.example/',
    });
    expect(JSON.stringify(report)).not.toContain('s3cret-value');
  });

  it('a query that is not a slug is neither printed nor part of the evidence', async () => {
    await using instance = await startMcpInstance({ '/mcp': () => 'hangs' });
    const report = await diagnose(`${instance.mcpUrl}?session=s3cret-value`, { timeoutMs: 300 });
    expect(checkOf(report, 'oauth-challenge').status).toBe('fail');
    expect(JSON.stringify(report)).not.toContain('s3cret-value');
  });
});
