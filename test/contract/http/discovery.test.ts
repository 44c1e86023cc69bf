import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChallenges } from '../../../src/features/doctor/mcp/www-authenticate.ts';
import type { Scope } from '../../../src/features/identity/access/principal.ts';
import { findUser } from '../../../src/features/identity/people/user-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { emptyKnowledge } from '../../support/graph/opened-graph.ts';
import {
  listedOrigin,
  openTestAnswers,
  openTestHttp,
  publicOrigin,
  type TestHttp,
} from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';

let database: TestDatabase;
let http: TestHttp;
let origin: string;

/** Tokens with one scope each. */
const tokens: Readonly<Record<string, Scope>> = { 'for-mcp': 'mcp', 'for-rest': 'api' };

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  const { queries } = database;
  const verifyAccessToken = async (token: string) => {
    const user = await findUser(queries, 'member@example.com');
    const scope = tokens[token];
    if (user === undefined || scope === undefined) return undefined;
    const credential = {
      kind: 'oauth',
      grantId: 'grant',
      organizationId: undefined,
      firstParty: false,
    } as const;
    const { id: userId, email } = user;
    return { principal: { userId, email, credential, scopes: new Set([scope]) }, membership: undefined };
  };
  const identity = { queries, clock: systemClock, verifyAccessToken };
  const answers = openTestAnswers(database, publicOrigin);
  const plugin = mcpRoute({
    deps: { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: emptyKnowledge },
    log: silentLog,
  });
  http = await openTestHttp(database, { verifyAccessToken, plugins: [{ name: 'mcp', plugin }] });
  origin = await http.server.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await http?.server.close();
  await database?.close();
});

const anyPage = 'https://anywhere.example';
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(origin + path, { ...init, redirect: 'manual', signal: AbortSignal.timeout(2_000) });

const served = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
];

/** Other URLs that clients try. They must return 404 so that clients go on at once. */
const absent = [
  '/.well-known/openid-configuration/mcp',
  '/mcp/.well-known/openid-configuration',
  '/mcp/.well-known/oauth-authorization-server',
  '/mcp/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/acme/api/v1',
  '/.well-known/mcp.json',
];

describe('the metadata URLs that clients request', () => {
  it.each(served)('%s answers GET and HEAD alike, for pages of any origin', async (path) => {
    const [got, head] = [
      await ask(path, { headers: { origin: anyPage } }),
      await ask(path, { method: 'HEAD' }),
    ];
    expect([got.status, head.status]).toEqual([200, 200]);
    expect(got.headers.get('content-type')).toMatch(/^application\/json/);
    expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'));
    expect(head.headers.get('content-length')).toBe(got.headers.get('content-length'));
    expect(got.headers.get('access-control-allow-origin')).toBe('*');
    expect(got.headers.get('access-control-allow-credentials')).toBeNull();
    expect(await got.json()).toMatchObject({
      [path.includes('resource') ? 'resource' : 'issuer']:
        publicOrigin + (path.endsWith('resource/mcp') ? '/mcp' : ''),
    });
    expect(await head.text()).toBe('');
  });

  it.each(served)('%s allows a page of any origin to send the header that clients send', async (path) => {
    const preflight = await ask(path, {
      method: 'OPTIONS',
      headers: {
        origin: anyPage,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
  });

  it.each(absent)('%s returns 404 as JSON at once', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/json/);
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  });

  it.each(served)('%s allows no other method', async (path) => {
    const answer = await ask(path, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
  });

  it('all return exactly the same issuer', async () => {
    const documents = await Promise.all(
      served.map(async (path) => (await (await ask(path)).json()) as Record<string, unknown>),
    );
    const issuers = documents.flatMap((one) => [one['authorization_servers'], one['issuer']].flat());
    expect(new Set(issuers.filter((issuer) => issuer !== undefined))).toEqual(new Set([publicOrigin]));
  });
});

const routes = [
  { name: 'MCP', path: '/mcp', method: 'POST', scope: 'mcp', foreign: 'for-rest', resource: '/mcp' },
  {
    name: 'REST',
    path: '/acme/api/v1/repositories',
    method: 'GET',
    scope: 'api',
    foreign: 'for-mcp',
    resource: '',
  },
] as const;

function challengeOf(answer: Response): Record<string, string> {
  const [challenge, ...more] = readChallenges(answer.headers.get('www-authenticate') ?? '');
  expect([challenge?.scheme, more]).toEqual(['bearer', []]);
  return Object.fromEntries(challenge?.parameters ?? []);
}

describe.each(routes)('a challenge of $name', ({ path, method, scope, foreign, resource }) => {
  const metadata = `${publicOrigin}/.well-known/oauth-protected-resource${resource}`;

  it('without a token names the metadata, the scope and the next step, and no error code (RFC 6750 section 3.1)', async () => {
    const answer = await ask(path, { method });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({
      resource_metadata: metadata,
      scope,
      error_description: expect.stringContaining('Sign in first'),
    });
  });

  it.each(['nothing', 'ock_nothing', 'a.b.c'])('with the token %s also names the reason', async (token) => {
    const answer = await ask(path, { method, headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({
      resource_metadata: metadata,
      scope,
      error: 'invalid_token',
      error_description: expect.stringContaining('not valid'),
    });
  });

  it('with a token for the other interface is a 403 that names every scope the call needs', async () => {
    const answer = await ask(path, { method, headers: { authorization: `Bearer ${foreign}` } });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'insufficient_scope' });
    expect(challengeOf(answer)).toEqual({
      resource_metadata: metadata,
      scope,
      error: 'insufficient_scope',
      error_description: expect.stringContaining(`"${scope}"`.replaceAll('"', "'")),
    });
  });

  it('never asks for offline_access, which is not a scope of a resource', async () => {
    const document = (await (await ask(new URL(metadata).pathname)).json()) as { scopes_supported: string[] };
    expect(document.scopes_supported).toEqual([scope]);
  });

  it('can be read by a page of a listed origin', async () => {
    const answer = await ask(path, { method, headers: { origin: listedOrigin } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe(listedOrigin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  it.each([anyPage, 'null', `${publicOrigin}.evil.example`])(
    'is not sent to a page of %s: Origin is checked before the token',
    async (foreignOrigin) => {
      const headers = { origin: foreignOrigin, authorization: 'Bearer nothing' };
      const answer = await ask(`${path}?access_token=nothing`, { method, headers });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'forbidden' });
      expect(answer.headers.get('www-authenticate')).toBeNull();
    },
  );

  it('comes after the check for a token in the URL', async () => {
    const answer = await ask(`${path}?access_token=nothing`, { method });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'token_in_url' });
  });
});
