import { sql } from 'kysely';
import { openIntake } from '../../features/connectors/intake/open-intake.ts';
import { webhookSources } from '../../features/connectors/intake/verify-webhook.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { withBoundPort } from '../../foundation/config/bound-port.ts';
import type { Config } from '../../foundation/config/config.ts';
import { version } from '../../foundation/config/version.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../../foundation/telemetry/telemetry.ts';
import { RecentRequests } from '../../surfaces/fastify/recent-requests.ts';
import { buildHttpServer } from '../../surfaces/http/build-server.ts';
import type { HttpDeps } from '../../surfaces/http/http-deps.ts';
import { mcpRoute } from '../../surfaces/mcp/route.ts';
import { checkOwnHost } from '../doctor/check-host.ts';
import { holdDataFolder } from '../host/data-folder-lock.ts';
import { type Answers, openAnswers } from '../open/open-answers.ts';
import { logEngine } from '../open/open-code-search.ts';
import { openCurrentDatabase, type Settings } from '../open/open-database.ts';
import { openGit } from '../open/open-git.ts';
import { openGithosts } from '../open/open-githosts.ts';
import { openGraph } from '../open/open-graph.ts';
import { openOauth } from '../open/open-oauth.ts';
import { type OpenedPages, openPages } from '../open/open-pages.ts';
import { authSecretOf, logKeyState, openSecrets } from '../open/open-secrets.ts';
import { explainBind, freePort } from './bind-port.ts';
import { type InFlight, watchInFlight } from './in-flight.ts';
import { observeDeployment } from './observe-deployment.ts';
import { type SuperviseOptions, superviseWorker } from './supervise-worker.ts';
import { watchStalls } from './watch-stalls.ts';

export interface ServeOptions {
  /** Default: none. */
  readonly telemetry?: Telemetry;
  /** The command of the worker process. Default: no worker (`--no-worker`). */
  readonly worker?: Pick<SuperviseOptions, 'program' | 'args'>;
  /** Time that a graceful stop waits for requests and for the worker, in milliseconds. */
  readonly graceMs?: typeof defaultGraceMs;
}

export interface RunningService {
  /** The configuration, with the bound port. */
  readonly config: Config;
  readonly database: Database;
  /** Responds to `/.status` with 503, finishes requests in flight, stops the worker; within 10 s. */
  stop(): Promise<void>;
}

/**
 * Times for a graceful stop, in milliseconds: requests in flight, and a second more for the worker; within 10 s in
 * total.
 */
const defaultGraceMs = { requests: 8_000, worker: 9_000 };
/** The share of the time for requests after which unanswered questions end with an error, which is then sent. */
const answeringShare = 0.85;

/** Starts the backend (REST, discovery, MCP and pages) and, if configured, a worker process. */
export async function startService(
  settings: Settings,
  log: Logger,
  { telemetry = telemetryOff, worker, graceMs = defaultGraceMs }: ServeOptions = {},
): Promise<RunningService> {
  await using opened = new AsyncDisposableStack();
  const held = await holdDataFolder(settings.config);
  opened.defer(() => held.release());
  const database = await openCurrentDatabase(settings, 'serve', log, { create: true });
  opened.defer(() => database.close());
  const { config, close } = await listen(settings, { database, log, telemetry });
  await held
    .publish(config)
    .catch((err: unknown) => log.warn({ err }, 'other commands cannot find this server'));
  const readLastGauges = observeDeployment(telemetry.metrics, database, config);
  // Without it the worker would not know a port that was given by a flag, and would add webhooks at another address.
  const env = { AUTH_BASE_URL: config.baseUrl };
  const supervised = worker && superviseWorker({ ...worker, env, log });
  const toClose = opened.move();
  return {
    config,
    database,
    async stop() {
      await Promise.all([close(graceMs.requests), supervised?.stop(graceMs.worker)]);
      await readLastGauges();
      await toClose.disposeAsync();
    },
  };
}

interface ListenDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

interface Listening {
  readonly config: Config;
  /** Stops the server; requests in flight have `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

/** Builds the server and listens. */
async function listen(settings: Settings, deps: ListenDeps): Promise<Listening> {
  const { database, log } = deps;
  const bound = await withFreePort(settings);
  const { config } = bound;
  const keyring = await openSecrets(bound, database);
  await using opened = new AsyncDisposableStack();
  const listening = Promise.withResolvers<void>();
  const { pages, closeIntake, ...parts } = await openParts(
    bound,
    { ...deps, keyring, listening: listening.promise },
    opened,
  );
  const { answers } = parts;
  let draining = false;
  const clock = systemClock;
  const recent = new RecentRequests();
  const { stalls, stop: stopWatching } = watchStalls(log, () => recent.take());
  opened.defer(stopWatching);
  const status = { version, clock, stalls, health: () => answersQueries(database), draining: () => draining };
  const server = await build(config, deps, pages.plugin, { ...parts, status, recent });
  opened.defer(() => server.close());
  const inFlight = watchInFlight(server.server);
  try {
    // Suppresses the log line of the framework: contract section 1 requires ours to be the first.
    server.log.level = 'silent';
    await server.listen({ host: config.http.host, port: config.http.port });
    server.log.level = config.log.level;
  } catch (error) {
    throw explainBind(error, config);
  }
  log.info({ baseUrl: config.baseUrl, version }, 'listening');
  listening.resolve();
  logEngine(bound, log);
  logKeyState(keyring, log);
  const toClose = opened.move();
  return {
    config,
    async close(graceMs) {
      draining = true;
      void closeIntake(graceMs);
      // The listener stays open until then, so that load balancers receive 503 from /.status and use another server.
      await drain(inFlight, answers, graceMs);
      server.server.closeAllConnections();
      await toClose.disposeAsync();
    },
  };
}

/** Chooses a free port if none is set, before the routes are built: every published URL contains the port. */
async function withFreePort(settings: Settings): Promise<Settings> {
  const { host, port } = settings.config.http;
  return { ...settings, config: withBoundPort(settings.config, port === 0 ? await freePort(host) : port) };
}

interface OpenedParts extends Omit<ServedParts, 'status' | 'recent'> {
  readonly answers: Answers;
  readonly pages: OpenedPages;
  /** Closes the intake once: the first call decides on the time that webhooks in flight have. */
  readonly closeIntake: (graceMs: number) => Promise<void>;
}

interface OpenDeps extends ListenDeps {
  readonly keyring: Keyring;
  /** Settles when the server listens. Search threads start then, because they would delay it. */
  readonly listening: Promise<void>;
}

/** Opens what the routes use. `opened` closes it; `closeIntake` closes the intake before that. */
async function openParts(
  settings: Settings,
  { database, log, telemetry, keyring, listening }: OpenDeps,
  opened: AsyncDisposableStack,
): Promise<OpenedParts> {
  const { config, secrets } = settings;
  const { metrics, tracer } = telemetry;
  const { githosts, close: closeGithosts } = openGithosts(settings, { database, keyring });
  opened.defer(closeGithosts);
  const repositories = repositoriesDeps(config, { database, githosts });
  const connections = await setupDeps(settings, log, githosts, repositories);
  const sources = webhookSources(connectors, secrets.providerSettings);
  const clock = systemClock;
  const intake = openIntake({ database, keyring, sources, githosts, clock, log, metrics });
  let intakeClosed: Promise<void> | undefined;
  const closeIntake = (graceMs: number): Promise<void> => (intakeClosed ??= intake.close(graceMs));
  opened.defer(() => closeIntake(0));
  const answers = openAnswers(settings, database, log, listening);
  opened.defer(() => answers.close());
  const knowledge = await openGraph(settings, database, { sources: answers.sources, log });
  opened.defer(() => knowledge.close());
  const authSecret = await authSecretOf(settings);
  const { upstreamClientSecret, proxies } = secrets;
  const oauth = await openOauth({ config, database, authSecret, proxies, log, tracer });
  opened.defer(() => oauth.close());
  const checkHost = (signal: AbortSignal) => checkOwnHost(settings, log, signal);
  const parts = { answers, knowledge, connections, repositories, githosts, intake, oauth };
  const pages = openPages({
    ...parts,
    config,
    database,
    authSecret,
    upstreamClientSecret,
    proxies,
    checkHost,
    tracer,
  });
  opened.defer(() => pages.close());
  return { ...parts, pages, closeIntake };
}

/** Waits for the requests in flight. Questions end a little earlier than their connections, to say that they do. */
async function drain(inFlight: InFlight, answers: Answers, graceMs: number): Promise<void> {
  await inFlight.untilNone(graceMs * answeringShare);
  answers.stopQuestions();
  await inFlight.untilNone(graceMs * (1 - answeringShare));
}

type ServedParts = Pick<
  HttpDeps,
  | 'status'
  | 'recent'
  | 'connections'
  | 'repositories'
  | 'githosts'
  | 'intake'
  | 'answers'
  | 'knowledge'
  | 'oauth'
>;

function build(
  config: Config,
  { database, log, telemetry }: ListenDeps,
  pages: OpenedPages['plugin'],
  opened: ServedParts,
): ReturnType<typeof buildHttpServer> {
  const clock = systemClock;
  const { answers, knowledge, oauth } = opened;
  const identity = { queries: database.queries, clock, verifyAccessToken: oauth.verifyAccessToken };
  const mcp = mcpRoute({
    log,
    deps: { baseUrl: config.baseUrl, version, identity, answers, knowledge, tracer: telemetry.tracer },
  });
  const people = { database, clock, appUrl: config.appUrl };
  return buildHttpServer(
    { config, log, telemetry, identity, people, ...opened },
    {
      plugins: [
        { name: 'mcp', plugin: mcp },
        { name: 'pages', plugin: pages },
      ],
    },
  );
}

function repositoriesDeps(
  { repositories, outbound, dataDir }: Config,
  opened: Pick<HttpDeps['repositories'], 'database'> & Pick<HttpDeps, 'githosts'>,
): HttpDeps['repositories'] {
  const { allowLocal } = repositories;
  return { ...opened, clock: systemClock, allowLocal, allowHosts: outbound.allowHosts, dataDir };
}

async function setupDeps(
  { config, secrets }: Settings,
  log: Logger,
  githosts: HttpDeps['githosts'],
  repositories: HttpDeps['repositories'],
): Promise<HttpDeps['connections']> {
  return {
    ...githosts,
    repositories,
    log,
    connectors,
    providerSettings: secrets.providerSettings,
    git: await openGit({ config, secrets }, githosts.database.queries),
  };
}

async function answersQueries(database: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(database.queries);
    return true;
  } catch {
    return false;
  }
}
