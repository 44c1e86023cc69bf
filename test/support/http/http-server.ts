import type { FastifyInstance, FastifyPluginAsync, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { type CodeSearch, noPassages, type SourceReader } from '../../../src/backends/codesearch/port.ts';
import { openQuestionLimit } from '../../../src/features/advisor/question-limit.ts';
import {
  type Intake,
  type IntakeOptions,
  openIntake,
} from '../../../src/features/connectors/intake/open-intake.ts';
import { webhookSources } from '../../../src/features/connectors/intake/verify-webhook.ts';
import type { Connector } from '../../../src/features/connectors/port.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import type { GithostsDeps } from '../../../src/features/githosts/githosts-deps.ts';
import type { VerifyAccessToken } from '../../../src/features/identity/access/authenticate.ts';
import type { Role } from '../../../src/features/identity/access/principal.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { fileUrls } from '../../../src/features/search/file-url.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { type Clock, systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import { type OpenedKeyring, openKeyring } from '../../../src/foundation/secrets/open-keyring.ts';
import type { Logger } from '../../../src/foundation/telemetry/logger.ts';
import { type Metrics, metricsOff } from '../../../src/foundation/telemetry/metrics.ts';
import type { Telemetry } from '../../../src/foundation/telemetry/telemetry.ts';
import { buildHttpServer, type HttpOptions } from '../../../src/surfaces/http/build-server.ts';
import type { HttpDeps } from '../../../src/surfaces/http/http-deps.ts';
import { testSetup } from '../connectors/test-setup.ts';
import { openTestDatabase, type TestDatabase } from '../database/databases.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { emptyKnowledge } from '../graph/opened-graph.ts';
import { openTestAuthorizationServer } from '../identity/authorization-server.ts';

export const publicOrigin = 'https://ctx.example';
export const listedOrigin = 'https://tools.example';

export interface TestHttp {
  readonly server: FastifyInstance;
  /** API keys of the people of organization `acme`, and of `gil`, who owns `globex` only. */
  readonly keys: Readonly<Record<Role | 'gil', string>>;
  /** The logged lines, one JSON object each. */
  readonly logged: readonly string[];
  /** Sends a request with an API key. Default: that of the `member` of acme. */
  call(request: InjectOptions & { readonly as?: Role | 'gil' }): Promise<LightMyRequestResponse>;
}

export interface TestHttpOptions extends HttpOptions {
  readonly baseUrl?: string;
  readonly http?: Partial<HttpDeps['config']['http']>;
  readonly status?: Partial<HttpDeps['status']>;
  /** Default: the verification of the authorization server. */
  readonly verifyAccessToken?: VerifyAccessToken;
  /** Default: `openTestAuthorizationServer`. */
  readonly oauth?: HttpDeps['oauth'];
  readonly telemetry?: Telemetry;
  /** Default: a log that writes to `logged`. */
  readonly log?: Logger;
  /** Default: `testSetup`. */
  readonly connections?: Partial<HttpDeps['connections']>;
  readonly intake?: Intake;
  /** Default: `testGithosts`. */
  readonly githosts?: GithostsDeps;
  readonly codeSearch?: Partial<CodeSearch>;
  readonly sources?: Partial<SourceReader>;
  /** Default: none, answers are extracted. */
  readonly model?: HttpDeps['answers']['model'];
  /** Default: an empty graph. */
  readonly knowledge?: HttpDeps['knowledge'];
}

/**
 * Opens the whole HTTP surface over a real database; closing it closes the authorization server. Default code search
 * and source reader: empty ones.
 */
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

/** Opens the HTTP surface and a database for one `describe` with an asynchronous body; closes both after it. */
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

/** Returns the dependencies of the whole HTTP surface over a real database. */
export async function openTestHttpDeps(
  database: Database,
  options: TestHttpOptions,
  log: HttpDeps['log'],
): Promise<HttpDeps> {
  const keyring = await openTestKeyring(database);
  const githosts = options.githosts ?? testGithosts(database, keyring);
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
    githosts,
    repositories: {
      database,
      clock: systemClock,
      allowLocal: false,
      allowHosts: [],
      dataDir: '/nonexistent',
      githosts,
    },
    connections: {
      ...testSetup(database, keyring, { githosts, baseUrl }),
      ...options.connections,
    },
    intake: options.intake ?? openTestIntake(database, keyring, log, { githosts }),
    answers: openTestAnswers(database, baseUrl, options),
    knowledge: options.knowledge ?? emptyKnowledge,
  };
}

/** Opens the webhook intake as the service does. Default: no deployment secret. */
export function openTestIntake(
  database: Database,
  keyring: Keyring,
  log: HttpDeps['log'],
  {
    deploymentSecret,
    githosts,
    clock = systemClock,
    metrics = metricsOff,
    ...options
  }: TestIntakeOptions = {},
): Intake {
  const used = options.connectors ?? connectors;
  const sources = webhookSources(used, {}).map((source) => ({
    ...source,
    webhookSecret: deploymentSecret,
  }));
  const deps = { database, keyring, sources, clock, log, metrics, ...(githosts && { githosts }) };
  return openIntake(deps, options);
}

export interface TestIntakeOptions extends IntakeOptions {
  readonly deploymentSecret?: string | undefined;
  /** Default: those of the program. */
  readonly connectors?: readonly Connector[];
  /** Default: none. */
  readonly githosts?: GithostsDeps;
  readonly clock?: Clock;
  readonly metrics?: Metrics;
}

/** Opens the keyring of the test deployment; another `authSecret` gives another key. */
export function openTestKeyring(database: Database, authSecret = 'k'.repeat(40)): Promise<OpenedKeyring> {
  const keys = { authSecret, connectionKey: undefined, formerConnectionKeys: [] };
  return openKeyring(database, keys, systemClock);
}

/** Returns an empty code search and source reader with the given parts replaced. */
export function openTestAnswers(
  { queries }: Database,
  baseUrl: string,
  { codeSearch, sources, model }: Pick<TestHttpOptions, 'codeSearch' | 'sources' | 'model'> = {},
): HttpDeps['answers'] {
  return {
    queries,
    urls: fileUrls(baseUrl),
    questions: openQuestionLimit(),
    codeSearch: { ...emptySearch, ...codeSearch },
    sources: { ...emptySources, ...sources },
    model,
  };
}

const emptySearch: CodeSearch = {
  capabilities: { rank: 'index' },
  search: async () => ({ files: [], stats: { candidates: 0, scanned: 0, matched: 0, milliseconds: 0 } }),
  rank: async () => ({ files: [], passages: noPassages, unmatched: [] }),
  close: async () => undefined,
};

const emptySources: SourceReader = {
  readFile: async () => undefined,
  listTree: async () => undefined,
  findCommits: async () => [],
  readHistory: async () => undefined,
  readDiff: async () => undefined,
  close: async () => undefined,
};

async function keyOf(database: Database, name: string, orgSlug: string, role: Role): Promise<string> {
  const deps = { database, clock: systemClock };
  const { user } = await admitUser(deps, { email: `${name}@example.com`, orgSlug, role });
  const { apiKey } = await createApiKey(database.queries, { userId: user.id, name: 'test' }, systemClock);
  return apiKey;
}
