import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { pino } from 'pino';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { setPasswordHash } from '../../../src/features/identity/people/user-store.ts';
import type { AuthorizationServer } from '../../../src/features/oauth/authorization-server.ts';
import { deviceGrant } from '../../../src/features/oauth/supported.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { OrganizationId, UserId } from '../../../src/foundation/kernel/ids.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { pageRoutes } from '../../../src/surfaces/pages/page-routes.ts';
import { emptyKnowledge } from '../graph/opened-graph.ts';
import { freePort } from '../http/free-port.ts';
import { type BrowserPage, type HttpBrowser, httpBrowser } from '../http/http-browser.ts';
import { openTestAnswers, openTestHttp, type TestHttpOptions } from '../http/http-server.ts';
import { noLimits } from '../http/no-limits.ts';
import { testPagesDeps } from '../http/pages.ts';
import { openTestAuthorizationServer, type TestAuthorizationServerOptions } from './authorization-server.ts';
import { passwordHash } from './password-hash.ts';

export const password = 'correct horse battery staple';

/** Ann owns acme, Bob is a member of acme and of globex, Gil owns globex. */
export type Name = 'ann' | 'bob' | 'gil';

export interface TestPerson {
  readonly email: string;
  readonly userId: UserId;
}

export interface TestClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly redirectUri: string;
}

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly error: string;
    readonly error_description?: string;
  };
}

/** An authorization code and the verifier to redeem it. */
export interface Code {
  readonly code: string;
  readonly verifier: string;
  /** The whole redirect to the client. */
  readonly answer: URL;
}

export interface TestOauth {
  readonly database: Database;
  readonly baseUrl: string;
  readonly server: FastifyInstance;
  readonly oauth: AuthorizationServer;
  readonly people: Readonly<Record<Name, TestPerson>>;
  readonly organizations: Readonly<Record<'acme' | 'globex', OrganizationId>>;
  /** The logged lines, one JSON object each. */
  readonly logged: readonly string[];
  browser(): HttpBrowser;
  /** Registers a client (RFC 7591); `metadata` extends or replaces that of a public client with `redirectUri`. */
  register(metadata?: Readonly<Record<string, unknown>>): Promise<TestClient>;
  /** Returns the authorization URL and its verifier. A parameter `undefined` is omitted. */
  authorizationUrl(
    client: TestClient,
    parameters?: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): { readonly url: string; readonly verifier: string };
  /** Completes an authorization in the pages; signs in if they ask for it. */
  answer(
    browser: HttpBrowser,
    url: string,
    choice?: { readonly who?: Name; readonly organization?: string; readonly decision?: 'allow' | 'deny' },
  ): Promise<BrowserPage>;
  /** Obtains a code through the pages. Default: as Ann, for acme. */
  codeFor(
    client: TestClient,
    choice?: Parameters<TestOauth['answer']>[2] & {
      readonly parameters?: Readonly<Record<string, string>>;
      readonly browser?: HttpBrowser;
    },
  ): Promise<Code>;
  /** Calls the token endpoint with the client's authentication in the body. */
  token(client: TestClient, form: Readonly<Record<string, string>>): Promise<TokenAnswer>;
  redeem(client: TestClient, code: Code): Promise<TokenAnswer>;
  refresh(
    client: TestClient,
    refreshToken: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<TokenAnswer>;
  /** Obtains tokens: authorization and redemption of the code. */
  connect(client: TestClient, choice?: Parameters<TestOauth['codeFor']>[1]): Promise<TokenAnswer>;
  /** Returns the status of a REST call and of an MCP call with the access token. */
  use(accessToken: string, orgSlug?: string): Promise<{ rest: number; mcp: number }>;
  close(): Promise<void>;
}

export interface TestOauthOptions
  extends Pick<
      TestAuthorizationServerOptions,
      'access' | 'clientDocuments' | 'clock' | 'authSecret' | 'allowHosts'
    >,
    Pick<TestHttpOptions, 'codeSearch' | 'sources' | 'knowledge'> {
  /** Default: a free port. The same port again gives the same service after a restart. */
  readonly port?: number;
  /** Additional routes over the same authorization server. */
  readonly routes?: (oauth: AuthorizationServer) => FastifyPluginAsync;
}

/** Starts the service with its pages on loopback, for tests over HTTP without a real browser. */
export async function openTestOauth(database: Database, options: TestOauthOptions = {}): Promise<TestOauth> {
  const port = options.port ?? (await freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const oauth = await openTestAuthorizationServer(database, { baseUrl, log, ...options });
  const identity = {
    queries: database.queries,
    clock: options.clock ?? systemClock,
    verifyAccessToken: oauth.verifyAccessToken,
  };
  const answers = openTestAnswers(database, baseUrl, options);
  const knowledge = options.knowledge ?? emptyKnowledge;
  const mcp = mcpRoute({
    log,
    deps: { baseUrl, version: '1.2.3', identity, answers, knowledge },
  });
  const { server } = await openTestHttp(database, {
    baseUrl,
    log,
    oauth,
    limits: noLimits,
    plugins: [
      { name: 'mcp', plugin: mcp },
      { name: 'pages', plugin: pageRoutes(testPagesDeps(database, { baseUrl, oauth, answers, knowledge })) },
      ...(options.routes === undefined ? [] : [{ name: 'test', plugin: options.routes(oauth) }]),
    ],
  });
  await server.listen({ host: '127.0.0.1', port });
  const people = await admitPeople(database);
  return {
    database,
    baseUrl,
    server,
    oauth,
    logged,
    ...people,
    ...steps(baseUrl),
    close: () => server.close(),
  };
}

const memberships: readonly (readonly [Name, 'acme' | 'globex', 'owner' | 'member'])[] = [
  ['ann', 'acme', 'owner'],
  ['gil', 'globex', 'owner'],
  ['bob', 'acme', 'member'],
  ['bob', 'globex', 'member'],
];

async function admitPeople(database: Database): Promise<Pick<TestOauth, 'people' | 'organizations'>> {
  const people: Partial<Record<Name, TestPerson>> = {};
  const organizations: Partial<Record<'acme' | 'globex', OrganizationId>> = {};
  for (const [name, orgSlug, role] of memberships) {
    const email = `${name}@example.com`;
    const { user, organization } = await admitUser(
      { database, clock: systemClock },
      { email, orgSlug, role },
    );
    await setPasswordHash(database.queries, user.id, passwordHash(password));
    people[name] = { email, userId: user.id };
    organizations[orgSlug] = organization.id;
  }
  return {
    people: people as TestOauth['people'],
    organizations: organizations as TestOauth['organizations'],
  };
}

type Steps = Omit<
  TestOauth,
  'database' | 'baseUrl' | 'server' | 'oauth' | 'people' | 'organizations' | 'logged' | 'close'
>;

/** Returns the same steps for any service at `baseUrl` that has these people. */
export function steps(baseUrl: string): Steps {
  const own: Steps = {
    browser: () => httpBrowser(baseUrl),
    register: (metadata) => register(baseUrl, metadata),
    authorizationUrl: (client, parameters) => authorizationUrl(baseUrl, client, parameters),
    answer,
    async codeFor(client, { parameters, browser = httpBrowser(baseUrl), ...choice } = {}) {
      const { url, verifier } = authorizationUrl(baseUrl, client, parameters);
      const { left, html, status } = await answer(browser, url, choice);
      if (left === undefined) throw new Error(`no redirect reached the client: ${status} ${html}`);
      return { code: left.searchParams.get('code') ?? '', verifier, answer: left };
    },
    token: (client, form) => token(baseUrl, client, form),
    redeem: (client, { code, verifier }) =>
      token(baseUrl, client, {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: client.redirectUri,
      }),
    refresh: (client, refreshToken, more = {}) =>
      token(baseUrl, client, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more }),
    async connect(client, choice) {
      return own.redeem(client, await own.codeFor(client, choice));
    },
    use: (accessToken, orgSlug = 'acme') => use(baseUrl, accessToken, orgSlug),
  };
  return own;
}

async function register(
  baseUrl: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<TestClient> {
  const redirectUri = 'http://127.0.0.1:33418/callback';
  const answered = await fetch(`${baseUrl}/.auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'A client',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', deviceGrant],
      ...metadata,
    }),
  });
  const body = (await answered.json()) as TestClient & { redirect_uris?: string[] };
  if (answered.status !== 201) throw new Error(`registration: ${answered.status} ${JSON.stringify(body)}`);
  const { client_id, client_secret } = body;
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    redirectUri: body.redirect_uris?.[0] ?? redirectUri,
  };
}

function authorizationUrl(
  baseUrl: string,
  client: TestClient,
  parameters: Parameters<TestOauth['authorizationUrl']>[1] = {},
): { url: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/.auth/authorize', baseUrl);
  const all = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: client.redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'the-state',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) {
    for (const each of [value ?? []].flat()) url.searchParams.append(name, each);
  }
  return { url: url.href, verifier };
}

async function answer(
  browser: HttpBrowser,
  url: string,
  {
    who = 'ann',
    organization = 'acme',
    decision = 'allow',
  }: NonNullable<Parameters<TestOauth['answer']>[2]> = {},
): Promise<BrowserPage> {
  let page = await browser.open(url);
  if (page.html.includes('name="password"')) {
    page = await browser.submit(page, { email: `${who}@example.com`, password });
  }
  if (page.left !== undefined || !page.html.includes('name="decision"')) return page;
  return browser.submit(page, { organization, decision });
}

async function token(
  baseUrl: string,
  { client_id, client_secret }: TestClient,
  form: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const answered = await fetch(`${baseUrl}/.auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id, ...(client_secret !== undefined && { client_secret }), ...form }),
  });
  const body = (await answered.json()) as TokenAnswer['body'];
  return { status: answered.status, headers: answered.headers, body };
}

async function use(
  baseUrl: string,
  accessToken: string,
  orgSlug: string,
): Promise<{ rest: number; mcp: number }> {
  const authorization = `Bearer ${accessToken}`;
  const rest = await fetch(`${baseUrl}/${orgSlug}/api/v1/repositories`, { headers: { authorization } });
  await rest.body?.cancel();
  const mcp = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  await mcp.body?.cancel();
  return { rest: rest.status, mcp: mcp.status };
}
