import { sql } from 'kysely';
import { deploymentApps } from '../features/connectors/connections/deployment-apps.ts';
import { openIntake } from '../features/connectors/intake/open-intake.ts';
import { withBoundPort } from '../foundation/config/bound-port.ts';
import type { Config } from '../foundation/config/config.ts';
import { version } from '../foundation/config/version.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../foundation/telemetry/telemetry.ts';
import { buildHttpServer } from '../surfaces/http/build-server.ts';
import type { HttpDeps } from '../surfaces/http/http-deps.ts';
import { mcpRoute } from '../surfaces/mcp/route.ts';
import { explainBind, freePort } from './bind-port.ts';
import { watchInFlight } from './in-flight.ts';
import { observeDeployment } from './observe-deployment.ts';
import { openAnswers } from './open-answers.ts';
import { logEngine } from './open-code-search.ts';
import { openCurrentDatabase, type Settings } from './open-database.ts';
import { openOauth } from './open-oauth.ts';
import { type OpenedPages, openPages } from './open-pages.ts';
import { authSecretOf, logKeyState, openSecrets } from './open-secrets.ts';
import { type SuperviseOptions, superviseWorker } from './supervise-worker.ts';
import { trackerWebhookSource, webhookReaders } from './webhook-sources.ts';

export interface ServeOptions {
  /** Default: none. */
  readonly telemetry?: Telemetry;
  /** How to start a worker beside the server; absent: none (`--no-worker`). */
  readonly worker?: Pick<SuperviseOptions, 'program' | 'args'>;
  /** How long an end in order waits for requests and for the worker. */
  readonly graceMs?: typeof usualGraceMs;
}

export interface RunningService {
  /** With the port that was bound. */
  readonly config: Config;
  readonly database: Database;
  /** Answers `/.status` with 503, finishes what is under way, stops the worker; within 10 s. */
  stop(): Promise<void>;
}

/** In-flight requests get this long, the worker a second more; together the 10 s of an orderly end. */
const usualGraceMs = { requests: 8_000, worker: 9_000 };

/** Starts the backend: routes, discovery, MCP and, beside it, a worker process. */
export async function startService(
  settings: Settings,
  log: Logger,
  { telemetry = telemetryOff, worker, graceMs = usualGraceMs }: ServeOptions = {},
): Promise<RunningService> {
  await using opened = new AsyncDisposableStack();
  const database = await openCurrentDatabase(settings, 'serve', log, { create: true });
  opened.defer(() => database.close());
  const { config, close } = await listen(settings, { database, log, telemetry });
  const readLastGauges = observeDeployment(telemetry.metrics, database, config);
  const supervised = worker && superviseWorker({ ...worker, log });
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
  /** Requests under way get `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Every published URL holds the port, so a free one is chosen before the routes are built. */
async function listen(settings: Settings, deps: ListenDeps): Promise<Listening> {
  const { database, log, telemetry } = deps;
  const { host, port } = settings.config.http;
  const config = withBoundPort(settings.config, port === 0 ? await freePort(host) : port);
  const keyring = await openSecrets(settings, database);
  const clock = systemClock;
  const connections = { database, keyring, clock, apps: deploymentApps(config, settings.secrets) };
  const sources = { readers: webhookReaders, tracker: trackerWebhookSource(settings) };
  await using opened = new AsyncDisposableStack();
  const intake = openIntake({ database, keyring, ...sources, clock, log, metrics: telemetry.metrics });
  let taken: Promise<void> | undefined;
  opened.defer(() => taken ?? intake.close(0));
  const answers = openAnswers({ ...settings, config }, database, log);
  opened.defer(() => answers.close());
  let draining = false;
  const status = { version, clock, health: () => answersQueries(database), draining: () => draining };
  const authSecret = await authSecretOf(settings);
  const { tracer } = telemetry;
  const oauth = await openOauth({ config, database, authSecret, log, tracer });
  opened.defer(() => oauth.close());
  const { upstreamClientSecret } = settings.secrets;
  const pages = openPages({ config, database, authSecret, upstreamClientSecret, oauth, tracer });
  opened.defer(() => pages.close());
  const server = await build(config, deps, pages.plugin, { status, answers, connections, intake, oauth });
  opened.defer(() => server.close());
  const inFlight = watchInFlight(server.server);
  try {
    // The framework's line would come before ours, which contract section 1 wants first.
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
      taken = intake.close(graceMs);
      // Until then the listener stays, so that load balancers see /.status say 503 and go elsewhere.
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
  opened: Pick<HttpDeps, 'status' | 'connections' | 'intake' | 'answers' | 'oauth'>,
): ReturnType<typeof buildHttpServer> {
  const clock = systemClock;
  const { answers, oauth } = opened;
  const identity = { queries: database.queries, clock, verifyAccessToken: oauth.verifyAccessToken };
  const mcp = mcpRoute({
    log,
    deps: { baseUrl: config.baseUrl, version, identity, answers, tracer: telemetry.tracer },
  });
  const people = { database, clock, appUrl: config.appUrl };
  const repositories = {
    database,
    clock,
    allowLocal: config.repositories.allowLocal,
    allowHosts: config.outbound.allowHosts,
    dataDir: config.dataDir,
  };
  return buildHttpServer(
    { config, log, telemetry, identity, people, repositories, ...opened },
    {
      plugins: [
        { name: 'mcp', plugin: mcp },
        { name: 'pages', plugin: pages },
      ],
    },
  );
}

async function answersQueries(database: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(database.queries);
    return true;
  } catch {
    return false;
  }
}
