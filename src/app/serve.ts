import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import type { ConnectionsDeps } from '../features/connectors/connections/connections-deps.ts';
import { deploymentApps } from '../features/connectors/connections/deployment-apps.ts';
import { type Intake, openIntake } from '../features/connectors/intake/open-intake.ts';
import { withBoundPort } from '../foundation/config/bound-port.ts';
import type { Config } from '../foundation/config/config.ts';
import { version } from '../foundation/config/version.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { Conflict } from '../foundation/kernel/errors.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../foundation/telemetry/telemetry.ts';
import { buildHttpServer } from '../surfaces/http/build-server.ts';
import { mcpRoute } from '../surfaces/mcp/route.ts';
import { watchInFlight } from './in-flight.ts';
import { observeDeployment } from './observe-deployment.ts';
import { type Answers, openAnswers } from './open-answers.ts';
import { openCurrentDatabase, type Settings } from './open-database.ts';
import { logKeyState, openSecrets } from './open-secrets.ts';
import { type SuperviseOptions, superviseWorker } from './supervise-worker.ts';
import { trackerWebhookSource } from './webhook-sources.ts';

export interface ServeOptions {
  /** Default: none. */
  readonly telemetry?: Telemetry;
  /** How to start a worker beside the server; absent: none (`--no-worker`). */
  readonly worker?: Pick<SuperviseOptions, 'program' | 'args'>;
  /** How long an end in order waits for requests and for the worker. */
  readonly drainMs?: typeof drainMs;
}

export interface RunningService {
  /** With the port that was bound. */
  readonly config: Config;
  readonly database: Database;
  /** Answers `/.status` with 503, finishes what is under way, stops the worker; within 10 s. */
  drain(): Promise<void>;
}

/** In-flight requests get this long, the worker a second more; together the 10 s of an orderly end. */
const drainMs = { requests: 8_000, worker: 9_000 };

/** Starts the backend: routes, discovery, MCP and, beside it, a worker process. */
export async function startService(
  settings: Settings,
  log: Logger,
  options: ServeOptions = {},
): Promise<RunningService> {
  const database = await openCurrentDatabase(settings, 'serve', log, { create: true });
  const patience = options.drainMs ?? drainMs;
  try {
    const telemetry = options.telemetry ?? telemetryOff;
    const { config, close } = await listen(settings, database, { log, telemetry });
    const readLastGauges = observeDeployment(telemetry.metrics, database, config);
    const worker = options.worker && superviseWorker({ ...options.worker, log });
    return {
      config,
      database,
      async drain() {
        await Promise.all([close(patience.requests), worker?.stop(patience.worker)]);
        await readLastGauges();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface Listening {
  readonly config: Config;
  /** Requests under way get `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Where the process tells what it does. */
interface Told {
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Every published URL holds the port, so a free one is chosen before the routes are built. */
async function listen(settings: Settings, database: Database, told: Told): Promise<Listening> {
  const { log, telemetry } = told;
  const { host, port } = settings.config.http;
  const config = withBoundPort(settings.config, port === 0 ? await freePort(host) : port);
  const keyring = await openSecrets(settings, database);
  const connections = {
    database,
    keyring,
    clock: systemClock,
    apps: deploymentApps(config, settings.secrets),
  };
  const intake = openIntake({
    database,
    keyring,
    tracker: trackerWebhookSource(settings),
    clock: systemClock,
    log,
    metrics: telemetry.metrics,
  });
  const answers = openAnswers(config, database, log);
  let draining = false;
  const server = await build(config, { database, answers, connections, intake }, told, () => draining);
  const inFlight = watchInFlight(server.server);
  try {
    // The framework's line would come before ours, which contract section 1 wants first.
    server.log.level = 'silent';
    await server.listen({ host, port: config.http.port });
    server.log.level = config.log.level;
  } catch (error) {
    await Promise.all([answers.close(), intake.close(0)]);
    throw explainBind(error, config);
  }
  log.info({ baseUrl: config.baseUrl, version }, 'listening');
  logKeyState(keyring, log);
  return {
    config,
    async close(graceMs) {
      draining = true;
      const taken = intake.close(graceMs);
      // Until then the listener stays, so that load balancers see /.status say 503 and go elsewhere.
      await inFlight.untilNone(graceMs);
      server.server.closeAllConnections();
      await server.close();
      await Promise.all([answers.close(), taken]);
    },
  };
}

interface Opened {
  readonly database: Database;
  readonly answers: Answers;
  readonly connections: ConnectionsDeps;
  readonly intake: Intake;
}

function build(
  config: Config,
  { database, answers, connections, intake }: Opened,
  { log, telemetry }: Told,
  draining: () => boolean,
) {
  const identity = { queries: database.queries, clock: systemClock };
  const mcp = mcpRoute({
    log,
    deps: { baseUrl: config.baseUrl, version, identity, answers, tracer: telemetry.tracer },
  });
  return buildHttpServer(
    {
      config,
      log,
      telemetry,
      status: { version, clock: systemClock, health: () => answersQueries(database), draining },
      identity,
      repositories: {
        database,
        clock: systemClock,
        allowLocal: config.repositories.allowLocal,
        allowHosts: config.outbound.allowHosts,
        dataDir: config.dataDir,
      },
      connections,
      intake,
      answers,
    },
    { plugins: [{ name: 'mcp', plugin: mcp }] },
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

async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, host, resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function explainBind(error: unknown, { http: { host, port } }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new Conflict(
      'port_in_use',
      `Port ${port} is in use. Stop what listens there, or choose another with --port.`,
      {
        cause: error,
      },
    );
  }
  if (code === 'EACCES') {
    return new Conflict(
      'port_denied',
      `Port ${port} may not be opened by this user. Choose one above 1023 with --port.`,
      {
        cause: error,
      },
    );
  }
  if (code === 'EADDRNOTAVAIL') {
    return new Conflict(
      'address_unavailable',
      `This machine has no address ${host}. Correct --host (HOST).`,
      {
        cause: error,
      },
    );
  }
  return error;
}
