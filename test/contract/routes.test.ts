import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../src/surfaces/http/route-table.ts';
import { describeEachDatabase, openTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openTestHttp, type TestHttp, type TestHttpOptions } from '../support/http-server.ts';
import { openTestPages } from '../support/pages.ts';

/** What is served, to the letter (specification: Endpoints; contract section 3). A change here is a change of the interface. */
const served = [
  'DELETE /:orgSlug/api/v1/api-keys/:id',
  'DELETE /:orgSlug/api/v1/connections/:id',
  'DELETE /:orgSlug/api/v1/grants/:id',
  'DELETE /:orgSlug/api/v1/invitations/:id',
  'DELETE /:orgSlug/api/v1/members/:userId',
  'DELETE /:orgSlug/api/v1/repositories/:id',
  'GET /',
  'GET /.auth/account',
  'GET /.auth/account/password',
  'GET /.auth/assets/pages.css',
  'GET /.auth/authorize',
  'GET /.auth/authorize/:uid',
  'GET /.auth/device',
  'GET /.auth/device/done',
  'GET /.auth/interaction/:uid',
  'GET /.auth/invitation/:token',
  'GET /.auth/jwks',
  'GET /.auth/link/:token',
  'GET /.auth/sign-in',
  'GET /.auth/upstream',
  'GET /.auth/upstream/callback',
  'GET /.status',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-authorization-server/mcp',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/openid-configuration',
  'GET /:orgSlug/api/v1/api-keys',
  'GET /:orgSlug/api/v1/audit',
  'GET /:orgSlug/api/v1/connections',
  'GET /:orgSlug/api/v1/connections/:id',
  'GET /:orgSlug/api/v1/connections/:id/status',
  'GET /:orgSlug/api/v1/grants',
  'GET /:orgSlug/api/v1/invitations',
  'GET /:orgSlug/api/v1/members',
  'GET /:orgSlug/api/v1/repositories',
  'GET /:orgSlug/api/v1/repositories/:id',
  'GET /:orgSlug/api/v1/repositories/:id/file',
  'GET /:orgSlug/api/v1/repositories/:id/tree',
  'GET /:orgSlug/api/v1/search',
  'GET /api/v1/me',
  'GET /openapi.json',
  'POST /.auth/account/end-grant',
  'POST /.auth/account/password',
  'POST /.auth/device',
  'POST /.auth/device-authorization',
  'POST /.auth/interaction/:uid',
  'POST /.auth/invitation/:token',
  'POST /.auth/link/:token',
  'POST /.auth/register',
  'POST /.auth/revoke',
  'POST /.auth/sign-in',
  'POST /.auth/sign-out',
  'POST /.auth/token',
  'POST /:orgSlug/api/v1/api-keys',
  'POST /:orgSlug/api/v1/connections',
  'POST /:orgSlug/api/v1/context',
  'POST /:orgSlug/api/v1/invitations',
  'POST /:orgSlug/api/v1/repositories',
  'POST /:orgSlug/api/v1/repositories/:id/sync',
  'POST /api/v1/webhook/tracker',
  'PUT /:orgSlug/api/v1/connections/:id/app',
  'PUT /:orgSlug/api/v1/members/:userId',
];

/** Every GET is also a HEAD, and preflights are answered everywhere. */
function tableOf({ server }: TestHttp): string[] {
  return describeRoutes(server)
    .filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
    .map(({ method, path }) => `${method} ${path}`)
    .toSorted();
}

const configurations: Readonly<Record<string, TestHttpOptions>> = {
  'nothing else': {},
  'a loopback base URL': { baseUrl: 'http://127.0.0.1:3000' },
  'a proxy and no further origins': { http: { trustProxy: 2, allowedOrigins: [] } },
  'OAuth access tokens': { verifyAccessToken: async () => undefined },
};

describeEachDatabase('the route table', (open) => {
  it.each(Object.entries(configurations))('is the same with %s', async (_name, options) => {
    expect(tableOf(await openTestPages(await open(), options))).toEqual(served);
  });
});

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>
  >;
}

interface OpenApi {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

describe('/openapi.json', () => {
  let database: TestDatabase;
  let http: TestHttp;
  let document: OpenApi;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestHttp(database);
    const answer = await http.server.inject('/openapi.json');
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    document = answer.json();
  });
  afterAll(() => database.close());

  const operations = (): [string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );

  it('describes every route but pages, and only those', () => {
    const described = served
      .filter((route) => !route.includes('/.auth/') && route !== 'GET /')
      .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));
    expect(
      operations()
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(described.toSorted());
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'https://ctx.example' }]);
  });

  it('gives each a name of its own, a tag, a summary and its answers, errors with them', () => {
    const names = operations().map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const [route, operation] of operations()) {
      expect([route, operation]).toEqual([
        route,
        expect.objectContaining({
          operationId: expect.stringMatching(/^[a-z]\w+$/),
          tags: [expect.any(String)],
          summary: expect.stringMatching(/^[A-Z]/),
        }),
      ]);
      const { responses } = operation;
      expect(Object.keys(responses).filter((status) => status.startsWith('2'))).toHaveLength(1);
      expect(responses['500']?.content).toEqual({
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      });
    }
  });

  it('asks for a bearer token where REST does, and nowhere else', () => {
    for (const [route, { security, responses }] of operations()) {
      const rest = route.includes('/{orgSlug}/api/v1/') || route === 'GET /api/v1/me';
      expect([route, security]).toEqual([route, rest ? undefined : []]);
      for (const status of ['401', '403', '429']) {
        if (rest) expect([route, Object.keys(responses)]).toEqual([route, expect.arrayContaining([status])]);
      }
    }
  });

  it('names the parameters that are in paths', () => {
    for (const [route, { parameters = [] }] of operations()) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath.toSorted()).toEqual(
        [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name)).toSorted(),
      );
    }
  });

  it('refers to every component it has, and has every component it refers to', () => {
    const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => String(name),
    );
    expect(Object.keys(document.components.schemas).toSorted()).toEqual([...new Set(referred)].toSorted());
  });
});

describe('REST routes', () => {
  it('each admit an owner, so each states the role it needs', async () => {
    const database = await openTestDatabase('sqlite');
    const http = await openTestHttp(database);
    for (const { method, path } of describeRoutes(http.server)) {
      if (!path.startsWith('/:orgSlug/api/v1/')) continue;
      const url = path.replace(':orgSlug', 'acme').replace(':id', '01960000-0000-7000-8000-000000000000');
      const answer = await http.call({ method, url, as: 'owner' });
      expect([method, path, answer.statusCode]).toEqual([method, path, expect.toBeOneOf([200, 400, 404])]);
    }
    await database.close();
  });
});
