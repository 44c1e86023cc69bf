import { sql } from 'kysely';
import { deploymentApps } from '../../features/connectors/connections/deployment-apps.ts';
import { openIntake } from '../../features/connectors/intake/open-intake.ts';
import { webhookSources } from '../../features/connectors/intake/webhook-source.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { withBoundPort } from '../../foundation/config/bound-port.ts';
import type { Config } from '../../foundation/config/config.ts';
import { version } from '../../foundation/config/version.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../../foundation/telemetry/telemetry.ts';
import { buildHttpServer } from '../../surfaces/http/build-server.ts';
import type { HttpDeps } from '../../surfaces/http/http-deps.ts';
import { mcpRoute } from '../../surfaces/mcp/route.ts';
import { checkOwnHost } from '../check-host.ts';
import { holdDataFolder } from '../data-folder-lock.ts';
import { observeDeployment } from '../observe-deployment.ts';
import { openAnswers } from '../open/open-answers.ts';
import { logEngine } from '../open/open-code-search.ts';
import { openCurrentDatabase, type Settings } from '../open/open-database.ts';
import { openGit } from '../open/open-git.ts';
import { openGithosts } from '../open/open-githosts.ts';
import { openGraph } from '../open/open-graph.ts';
import { openOauth } from '../open/open-oauth.ts';
import { type OpenedPages, openPages } from '../open/open-pages.ts';
import { authSecretOf, logKeyState, openSecrets } from '../open/open-secrets.ts';
import { explainBind, freePort } from './bind-port.ts';
import { watchInFlight } from './in-flight.ts';
import { type SuperviseOptions, superviseWorker } from './supervise-worker.ts';

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

/**
 * Builds the server and listens. Every published URL contains the port, so a free port is chosen before the routes
 * are built.
 */
async function listen(settings: Settings, deps: ListenDeps): Promise<Listening> {
  const { database, log, telemetry } = deps;
  const { host, port } = settings.config.http;
  const config = withBoundPort(settings.config, port === 0 ? await freePort(host) : port);
  const keyring = await openSecrets(settings, database);
  const clock = systemClock;
  const sources = webhookSources(connectors, settings.secrets.providerSettings);
  await using opened = new AsyncDisposableStack();
  const { githosts, close: closeGithosts } = openGithosts({ ...settings, config }, { database, keyring });
  opened.defer(closeGithosts);
  const repositories = repositoriesDeps(config, { database, githosts });
  const connections = await setupDeps({ ...settings, config }, log, {
    database,
    keyring,
    githosts,
    repositories,
  });
  const { metrics, tracer } = telemetry;
  const intake = openIntake({ database, keyring, sources, githosts, connectors, clock, log, metrics });
  let intakeClosed: Promise<void> | undefined;
  opened.defer(() => intakeClosed ?? intake.close(0));
  const answers = openAnswers({ ...settings, config }, database, log);
  opened.defer(() => answers.close());
  const knowledge = await openGraph({ ...settings, config }, database, log);
  opened.defer(() => knowledge.close());
  let draining = false;
  const status = { version, clock, health: () => answersQueries(database), draining: () => draining };
  const authSecret = await authSecretOf(settings);
  const oauth = await openOauth({ config, database, authSecret, log, tracer });
  opened.defer(() => oauth.close());
  const { upstreamClientSecret } = settings.secrets;
  const pages = openPages({
    config,
    database,
    authSecret,
    upstreamClientSecret,
    oauth,
    repositories,
    answers,
    knowledge,
    githosts,
    connections,
    checkHost: (signal) => checkOwnHost({ ...settings, config }, log, signal),
    tracer,
  });
  opened.defer(() => pages.close());
  const server = await build(config, deps, pages.plugin, {
    status,
    answers,
    knowledge,
    connections,
    repositories,
    githosts,
    intake,
    oauth,
  });
  opened.defer(() => server.close());
  const inFlight = watchInFlight(server.server);
  try {
    // Suppresses the log line of the framework: contract section 1 requires ours to be the first.
    server.log.level = 'silent';
    await server.listen({ host, port: config.http.port });
    server.log.level = config.log.level;
  } catch (error) {
    throw explainBind(error, config);
  }
  log.info({ baseUrl: config.baseUrl, version }, 'listening');
  logEngine({ config }, log);
  logKeyState(keyring, log);
  const toClose = opened.move();
  return {
    config,
    async close(graceMs) {
      draining = true;
      intakeClosed = intake.close(graceMs);
      // The listener stays open until then, so that load balancers receive 503 from /.status and use another server.
      await inFlight.untilNone(graceMs);
      server.server.closeAllConnections();
      await toClose.disposeAsync();
    },
  };
}

function build(
  config: Config,
  { database, log, telemetry }: ListenDeps,
  pages: OpenedPages['plugin'],
  opened: Pick<
    HttpDeps,
    'status' | 'connections' | 'repositories' | 'githosts' | 'intake' | 'answers' | 'knowledge' | 'oauth'
  >,
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
  opened: Pick<HttpDeps['connections'], 'database' | 'keyring' | 'githosts' | 'repositories'>,
): Promise<HttpDeps['connections']> {
  return {
    ...opened,
    clock: systemClock,
    log,
    connectors,
    providerSettings: secrets.providerSettings,
    apps: deploymentApps(connectors, config, secrets),
    git: await openGit(config, opened.database.queries),
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
