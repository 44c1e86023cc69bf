import type { FastifyInstance, FastifyPluginAsync, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { webhookReaders } from '../../src/app/webhook-sources.ts';
import type { CodeSearch, SourceReader } from '../../src/backends/codesearch/port.ts';
import {
  type DeploymentApps,
  deploymentApps,
} from '../../src/features/connectors/connections/deployment-apps.ts';
import {
  type Intake,
  type IntakeOptions,
  openIntake,
} from '../../src/features/connectors/intake/open-intake.ts';
import { trackerWebhooks } from '../../src/features/connectors/tracker/webhook.ts';
import type { VerifyAccessToken } from '../../src/features/identity/access/authenticate.ts';
import type { Role } from '../../src/features/identity/access/principal.ts';
import { createApiKey } from '../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../src/features/identity/people/admit-user.ts';
import { fileUrls } from '../../src/features/search/file-url.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import { type Clock, systemClock } from '../../src/foundation/kernel/clock.ts';
import type { Keyring } from '../../src/foundation/secrets/keyring.ts';
import { type OpenedKeyring, openKeyring } from '../../src/foundation/secrets/open-keyring.ts';
import type { Logger } from '../../src/foundation/telemetry/logger.ts';
import { type Metrics, metricsOff } from '../../src/foundation/telemetry/metrics.ts';
import type { Telemetry } from '../../src/foundation/telemetry/telemetry.ts';
import { buildHttpServer, type HttpOptions } from '../../src/surfaces/http/build-server.ts';
import type { HttpDeps } from '../../src/surfaces/http/http-deps.ts';
import { openTestAuthorizationServer } from './authorization-server.ts';
import { openTestDatabase, type TestDatabase } from './databases.ts';

export const publicOrigin = 'https://ctx.example';
export const listedOrigin = 'https://tools.example';

export interface TestHttp {
  readonly server: FastifyInstance;
  /** API keys of the people of organization `acme`, and of `gil`, who owns `globex` only. */
  readonly keys: Readonly<Record<Role | 'gil', string>>;
  /** What was logged, one JSON object a line. */
  readonly logged: readonly string[];
  /** A request with an API key; `member` of acme unless it says otherwise. */
  call(request: InjectOptions & { readonly as?: Role | 'gil' }): Promise<LightMyRequestResponse>;
}

export interface TestHttpOptions extends HttpOptions {
  readonly baseUrl?: string;
  readonly http?: Partial<HttpDeps['config']['http']>;
  readonly status?: Partial<HttpDeps['status']>;
  /** Default: that of the authorization server. */
  readonly verifyAccessToken?: VerifyAccessToken;
  /** Default: `openTestAuthorizationServer`. */
  readonly oauth?: HttpDeps['oauth'];
  readonly telemetry?: Telemetry;
  /** Default: `logged` of the answer. */
  readonly log?: Logger;
  readonly apps?: DeploymentApps;
  readonly intake?: Intake;
  readonly codeSearch?: Partial<CodeSearch>;
  readonly sources?: Partial<SourceReader>;
}

/** The whole HTTP surface over a real database; closing it closes the authorization server. Code search and source reading are empty unless given. */
export async function openTestHttp(database: Database, options: TestHttpOptions = {}): Promise<TestHttp> {
  const logged: string[] = [];
  const log = options.log ?? pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const deps = await openTestHttpDeps(database, options, log);
  const closing: FastifyPluginAsync = async (scope) =>
    void scope.addHook('onClose', () => deps.oauth.close());
  const plugins = [...(options.plugins ?? []), { name: 'closing', plugin: closing }];
  const server = await buildHttpServer(deps, { ...options, plugins });
  const keys = {
    owner: await keyOf(database, 'owner', 'acme', 'owner'),
    admin: await keyOf(database, 'admin', 'acme', 'admin'),
    member: await keyOf(database, 'member', 'acme', 'member'),
    gil: await keyOf(database, 'gil', 'globex', 'owner'),
  };
  return {
    server,
    keys,
    logged,
    call: ({ as = 'member', headers, ...request }) =>
      server.inject({ ...request, headers: { authorization: `Bearer ${keys[as]}`, ...headers } }),
  };
}

/** The same for one `describe` with an asynchronous body, over a database of its own; both are closed after it. */
export async function useTestHttp(
  options: TestHttpOptions = {},
): Promise<TestHttp & { readonly database: TestDatabase }> {
  const database = await openTestDatabase('sqlite');
  const http = await openTestHttp(database, options);
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });
  return { ...http, database };
}

/** What the whole HTTP surface is built from, over a real database. */
export async function openTestHttpDeps(
  database: Database,
  options: TestHttpOptions,
  log: HttpDeps['log'],
): Promise<HttpDeps> {
  const keyring = await openTestKeyring(database);
  const { queries } = database;
  const baseUrl = options.baseUrl ?? publicOrigin;
  const oauth = options.oauth ?? (await openTestAuthorizationServer(database, { baseUrl, log }));
  const http = {
    host: '127.0.0.1',
    port: 0,
    trustProxy: false,
    allowedOrigins: [listedOrigin],
    ...options.http,
  };
  return {
    config: { baseUrl, http },
    log,
    ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry }),
    status: {
      version: '1.2.3',
      clock: systemClock,
      health: async () => true,
      draining: () => false,
      ...options.status,
    },
    identity: {
      queries,
      clock: systemClock,
      verifyAccessToken: options.verifyAccessToken ?? oauth.verifyAccessToken,
    },
    oauth,
    people: { database, clock: systemClock, appUrl: baseUrl },
    repositories: {
      database,
      clock: systemClock,
      allowLocal: false,
      allowHosts: [],
      dataDir: '/nonexistent',
    },
    connections: {
      database,
      keyring,
      clock: systemClock,
      apps: options.apps ?? deploymentApps({ baseUrl, connectors: noConnectors }, noConnectorSecrets),
    },
    intake: options.intake ?? openTestIntake(database, keyring, log),
    answers: openTestAnswers(database, baseUrl, options),
  };
}

/** Takes webhooks in as the service does; without a deployment secret unless one is given. */
export function openTestIntake(
  database: Database,
  keyring: Keyring,
  log: HttpDeps['log'],
  { deploymentSecret, clock = systemClock, metrics = metricsOff, ...options }: TestIntakeOptions = {},
): Intake {
  const tracker = { reader: trackerWebhooks, toleranceMs: 60_000, deploymentSecret };
  return openIntake({ database, keyring, readers: webhookReaders, tracker, clock, log, metrics }, options);
}

export interface TestIntakeOptions extends IntakeOptions {
  readonly deploymentSecret?: string | undefined;
  readonly clock?: Clock;
  readonly metrics?: Metrics;
}

const noConnectors = {
  tracker: { clientId: undefined, redirectUri: undefined },
  oncall: { clientId: undefined, redirectUri: undefined },
};

const noConnectorSecrets = {
  trackerClientSecret: undefined,
  trackerWebhookSecret: undefined,
  oncallClientSecret: undefined,
};

/** The keyring of the test deployment; of another key with another `authSecret`. */
export function openTestKeyring(database: Database, authSecret = 'k'.repeat(40)): Promise<OpenedKeyring> {
  const keys = { authSecret, connectionKey: undefined, formerConnectionKeys: [] };
  return openKeyring(database, keys, systemClock);
}

/** Code search and source reading that know nothing, but for the parts given. */
export function openTestAnswers(
  { queries }: Database,
  baseUrl: string,
  { codeSearch, sources }: Pick<TestHttpOptions, 'codeSearch' | 'sources'> = {},
): HttpDeps['answers'] {
  return {
    queries,
    urls: fileUrls(baseUrl),
    codeSearch: { ...emptySearch, ...codeSearch },
    sources: { ...emptySources, ...sources },
  };
}

const emptySearch: CodeSearch = {
  capabilities: { rank: 'index' },
  search: async () => ({ files: [], stats: { candidates: 0, scanned: 0, matched: 0, milliseconds: 0 } }),
  rank: async () => ({ files: [] }),
  close: async () => undefined,
};

const emptySources: SourceReader = {
  readFile: async () => undefined,
  listTree: async () => undefined,
  close: async () => undefined,
};

async function keyOf(database: Database, name: string, orgSlug: string, role: Role): Promise<string> {
  const deps = { database, clock: systemClock };
  const { user } = await admitUser(deps, { email: `${name}@example.com`, orgSlug, role });
  const { apiKey } = await createApiKey(database.queries, { userId: user.id, name: 'test' }, systemClock);
  return apiKey;
}
