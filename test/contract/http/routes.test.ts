import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitProviders } from '../../../src/app/open/git-providers.ts';
import { describeRoutes } from '../../../src/surfaces/http/route-table.ts';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { openTestHttp, type TestHttp, type TestHttpOptions } from '../../support/http/http-server.ts';
import { openTestPages } from '../../support/http/pages.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * The exact list of served routes (specification: Endpoints; contract section 3). A change here changes the interface.
 */
const served = [
  'DELETE /:orgSlug/api/v1/api-keys/:id',
  'DELETE /:orgSlug/api/v1/connections/:id',
  'DELETE /:orgSlug/api/v1/conversations/:id',
  'DELETE /:orgSlug/api/v1/githost/connections/:id',
  'DELETE /:orgSlug/api/v1/githost/key',
  'DELETE /:orgSlug/api/v1/grants/:id',
  'DELETE /:orgSlug/api/v1/invitations/:id',
  'DELETE /:orgSlug/api/v1/members/:userId',
  'DELETE /:orgSlug/api/v1/repositories/:id',
  'GET /',
  'GET /.auth/account',
  'GET /.auth/account/password',
  'GET /.auth/assets/pages.css',
  'GET /.auth/assets/pages.js',
  'GET /.auth/authorize',
  'GET /.auth/authorize/:uid',
  'GET /.auth/device',
  'GET /.auth/device/done',
  'GET /.auth/interaction/:uid',
  'GET /.auth/interaction/:uid/continue',
  'GET /.auth/invitation/:token',
  'GET /.auth/jwks',
  'GET /.auth/link/:token',
  'GET /.auth/sign-in',
  'GET /.auth/upstream',
  'GET /.auth/upstream/callback',
  'GET /.docs/api-reference',
  'GET /.docs/api-reference/scalar.js',
  'GET /.docs/api-reference/start.js',
  'GET /.docs/api-reference/style.css',
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
  'GET /:orgSlug/api/v1/connections/:id/scope-options',
  'GET /:orgSlug/api/v1/connections/:id/status',
  'GET /:orgSlug/api/v1/conversations',
  'GET /:orgSlug/api/v1/conversations/:id',
  'GET /:orgSlug/api/v1/conversations/:id/messages',
  'GET /:orgSlug/api/v1/githost/connections',
  'GET /:orgSlug/api/v1/githost/connections/:id/install-url',
  'GET /:orgSlug/api/v1/githost/connections/:id/repositories',
  'GET /:orgSlug/api/v1/githost/key',
  'GET /:orgSlug/api/v1/grants',
  'GET /:orgSlug/api/v1/graph/entities',
  'GET /:orgSlug/api/v1/graph/entities/:key',
  'GET /:orgSlug/api/v1/graph/entities/:key/related',
  'GET /:orgSlug/api/v1/graph/impact',
  'GET /:orgSlug/api/v1/history',
  'GET /:orgSlug/api/v1/invitations',
  'GET /:orgSlug/api/v1/members',
  'GET /:orgSlug/api/v1/references',
  'GET /:orgSlug/api/v1/repositories',
  'GET /:orgSlug/api/v1/repositories/:id',
  'GET /:orgSlug/api/v1/repositories/:id/commits/:commit',
  'GET /:orgSlug/api/v1/repositories/:id/file',
  'GET /:orgSlug/api/v1/repositories/:id/tree',
  'GET /:orgSlug/api/v1/search',
  'GET /api/v1/integrations/githost/setup',
  'GET /api/v1/integrations/oncall/callback',
  'GET /api/v1/integrations/tracker/callback',
  'GET /api/v1/me',
  'GET /openapi.json',
  'PATCH /:orgSlug/api/v1/githost/connections/:id',
  'PATCH /:orgSlug/api/v1/repositories/:id',
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
  'POST /:orgSlug/api/v1/ask',
  'POST /:orgSlug/api/v1/connections',
  'POST /:orgSlug/api/v1/connections/:id/authorize',
  'POST /:orgSlug/api/v1/connections/:id/pull-request',
  'POST /:orgSlug/api/v1/connections/:id/rebuild',
  'POST /:orgSlug/api/v1/connections/:id/sync',
  'POST /:orgSlug/api/v1/context',
  'POST /:orgSlug/api/v1/conversations',
  'POST /:orgSlug/api/v1/conversations/:id/messages',
  'POST /:orgSlug/api/v1/githost/connections',
  'POST /:orgSlug/api/v1/invitations',
  'POST /:orgSlug/api/v1/repositories',
  'POST /:orgSlug/api/v1/repositories/:id/sync',
  'POST /api/v1/integrations/githost/setup',
  'POST /api/v1/webhook/githost/:connectionId',
  'POST /api/v1/webhook/oncall',
  'POST /api/v1/webhook/tracker',
  'PUT /:orgSlug/api/v1/connections/:id/app',
  'PUT /:orgSlug/api/v1/connections/:id/binding',
  'PUT /:orgSlug/api/v1/githost/key',
  'PUT /:orgSlug/api/v1/members/:userId',
];

/** The pages outside of `/.auth/`. */
const otherPages = new Set([
  'GET /',
  'GET /api/v1/integrations/githost/setup',
  'GET /api/v1/integrations/oncall/callback',
  'GET /api/v1/integrations/tracker/callback',
  'POST /api/v1/integrations/githost/setup',
]);

/**
 * Every GET route also answers HEAD, and preflights are answered everywhere. `page-matrix.test.ts` compares the pages
 * of organizations with their list.
 */
function tableOf({ server }: TestHttp): string[] {
  return describeRoutes(server)
    .filter(({ method, path }) => method !== 'HEAD' && method !== 'OPTIONS' && !path.startsWith('/app/'))
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

/** The verbs that an operationId may begin with, by method. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  GET: ['list', 'get', 'search'],
  POST: ['create', 'search', 'ask', 'authorize', 'sync', 'rebuild', 'receive'],
  PUT: ['create', 'update'],
  PATCH: ['update'],
  DELETE: ['delete'],
};

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly security?: readonly unknown[];
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: object; readonly example?: unknown }>>;
  };
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

  it('describes exactly the routes that are not pages', () => {
    const described = served
      .filter((route) => !/\/\.(?:auth|docs)\//.test(route) && !otherPages.has(route))
      .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));
    expect(
      operations()
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(described.toSorted());
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'https://ctx.example' }]);
  });

  it('gives each route a unique name, a tag, a summary and its answers, including errors', () => {
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
      // An answer that is streamed as events has status 200, the stored one 201.
      const successes = operation.operationId === 'createMessage' ? 2 : 1;
      expect(Object.keys(responses).filter((status) => status.startsWith('2'))).toHaveLength(successes);
      for (const status of ['431', '500']) {
        expect(responses[status]?.content).toEqual({
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        });
      }
    }
  });

  it('begins each operationId with a verb that fits the method, and `list` exactly for pages', () => {
    for (const [route, { operationId, responses }] of operations()) {
      const [method = ''] = route.split(' ');
      const [verb = ''] = /^[a-z]+/.exec(operationId ?? '') ?? [];
      expect([route, operationId, verbs[method]]).toEqual([
        route,
        operationId,
        expect.arrayContaining([verb]),
      ]);
      const page = JSON.stringify(responses['200']?.content ?? {}).includes('"nextCursor"');
      if (verb !== 'search')
        expect([route, operationId, page]).toEqual([route, operationId, verb === 'list']);
    }
  });

  it('lists the kinds of Git hosts in every schema that has one', () => {
    const { schemas } = document.components;
    const { requestBody } = document.paths['/{orgSlug}/api/v1/githost/connections']?.['post'] ?? {};
    for (const schema of [schemas['GithostConnection'], requestBody?.content?.['application/json']?.schema]) {
      expect(schema).toMatchObject({ properties: { kind: { enum: gitProviders.map(({ kind }) => kind) } } });
    }
  });

  it('has an example for each body that a caller sends', () => {
    for (const [route, { tags = [], requestBody }] of operations()) {
      const body = requestBody?.content?.['application/json'];
      if (body === undefined || tags.includes('Webhooks')) continue;
      expect([route, body]).toEqual([route, expect.objectContaining({ example: expect.any(Object) })]);
    }
  });

  it('passes the linter of Redocly, which checks examples against their schemas', async () => {
    const file = join(temporaryFolder(), 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const args = ['lint', file, '--format=json', '--extends=recommended-strict', '--max-problems=20'];
    const { stdout } = await promisify(execFile)('node_modules/.bin/redocly', args, {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    }).catch((error: unknown) => error as { stdout: string });
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('describes the headers that tell when to try again', () => {
    const limited = operations().filter(([, { responses }]) => responses['429'] !== undefined);
    expect(limited.length).toBeGreaterThan(40);
    for (const [, { responses }] of limited) {
      const names = Object.keys((responses['429'] as { headers?: object }).headers ?? {});
      expect(names).toEqual(['Retry-After', 'RateLimit', 'RateLimit-Policy']);
    }
  });

  it('describes conditional requests of each record and file, but not of a link that is valid once', () => {
    const etag = { ETag: { description: expect.any(String), schema: { type: 'string' } } };
    for (const [route, { operationId = '', parameters, responses }] of operations()) {
      const conditional =
        operationId.startsWith('get') &&
        /api\/v1\/(?!me$)/.test(route) &&
        operationId !== 'getGithostInstallUrl';
      const names = (parameters ?? []).map(({ name }) => name);
      expect([route, names.includes('If-None-Match')]).toEqual([route, conditional]);
      expect([route, responses['304']]).toEqual([
        route,
        conditional ? { description: expect.any(String), headers: etag } : undefined,
      ]);
      if (conditional) expect(responses['200']).toMatchObject({ headers: etag });
    }
  });

  it('requires a bearer token exactly for REST', () => {
    for (const [route, { security, responses }] of operations()) {
      const rest = route.includes('/{orgSlug}/api/v1/') || route === 'GET /api/v1/me';
      expect([route, security]).toEqual([route, rest ? undefined : []]);
      for (const status of ['401', '403', '429']) {
        if (rest) expect([route, Object.keys(responses)]).toEqual([route, expect.arrayContaining([status])]);
      }
    }
  });

  it('names the parameters of the paths', () => {
    for (const [route, { parameters = [] }] of operations()) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath.toSorted()).toEqual(
        [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name)).toSorted(),
      );
    }
  });

  it('contains exactly the components that it refers to', () => {
    const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => String(name),
    );
    expect(Object.keys(document.components.schemas).toSorted()).toEqual([...new Set(referred)].toSorted());
  });

  it('names no component like the constructor of another, or like a type of JavaScript', () => {
    const names = Object.keys(document.components.schemas);
    const taken = new Set([...names.map((name) => `New${name}`), ...Object.getOwnPropertyNames(globalThis)]);
    expect(names.filter((name) => taken.has(name))).toEqual([]);
  });
});

describe('REST routes', () => {
  it('each admit an owner, so each declares the role it needs', async () => {
    const database = await openTestDatabase('sqlite');
    const http = await openTestHttp(database);
    for (const { method, path } of describeRoutes(http.server)) {
      if (!path.startsWith('/:orgSlug/api/v1/')) continue;
      const url = path.replace(':orgSlug', 'acme').replace(':id', '01960000-0000-7000-8000-000000000000');
      const answer = await http.call({ method, url, as: 'owner' });
      expect([method, path, answer.statusCode]).toEqual([
        method,
        path,
        expect.toBeOneOf([200, 201, 400, 404]),
      ]);
    }
    await database.close();
  });
});
