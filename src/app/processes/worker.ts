import { checkConnectionsOf } from '../../features/connectors/configuration/due-connections.ts';
import { restoreFiles } from '../../features/connectors/entities/restore-files.ts';
import { sharedConnectorJobs } from '../../features/connectors/jobs.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { connectorJobsDeps } from '../../features/connectors/setup/synced-connection.ts';
import { conversationJobs } from '../../features/conversations/jobs.ts';
import { credentialsFor } from '../../features/githosts/credentials.ts';
import { githostJobs } from '../../features/githosts/jobs.ts';
import { recordGitRefusal } from '../../features/githosts/record-check.ts';
import { openSourceGate, withOperatorHosts } from '../../features/githosts/source-access.ts';
import { identityJobs } from '../../features/identity/jobs.ts';
import { knowledgeJobs } from '../../features/knowledge/projection/jobs.ts';
import { mirrorJobs } from '../../features/mirror/jobs.ts';
import { oauthJobs } from '../../features/oauth/jobs.ts';
import { followingJobs } from '../../features/repositories/following/jobs.ts';
import { syncPushed } from '../../features/repositories/following/sync-changed.ts';
import { repositoryJobs } from '../../features/repositories/jobs.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { ClaimedJobs } from '../../foundation/jobs/claim/claimed-job.ts';
import type { FeatureJobs, Reconciler } from '../../foundation/jobs/feature-jobs.ts';
import { completeJobs } from '../../foundation/jobs/worker/complete-jobs.ts';
import type { Complete } from '../../foundation/jobs/worker/group-completions.ts';
import { type Repeating, repeatEvery } from '../../foundation/jobs/worker/repeat.ts';
import { runJobs, WorkerStopping } from '../../foundation/jobs/worker/run-jobs.ts';
import { openWorker } from '../../foundation/jobs/worker/worker.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../../foundation/telemetry/telemetry.ts';
import { maintainDatabases } from '../host/maintain-databases.ts';
import { openIndexEngine } from '../open/open-code-search.ts';
import { openCurrentDatabase, type Settings } from '../open/open-database.ts';
import { openGit } from '../open/open-git.ts';
import { openGithosts } from '../open/open-githosts.ts';
import { openParser } from '../open/open-parser.ts';
import { openProjection } from '../open/open-projection.ts';
import { authSecretOf, logKeyState, oauthSealer, openSecrets } from '../open/open-secrets.ts';
import type { ToWorker } from './process-life.ts';
import { runInOwnProcess } from './run-alone.ts';
import type { WorkerCommand } from './worker-process.ts';

export interface RunningWorker {
  /** Stops claiming, gives running jobs `graceMs` to end and returns the rest to the queue. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Number of concurrent jobs of each class in one process: clones wait for the network while an index is built, and the
 * graphs of several organizations are built in turns.
 * @internal Exported for the tests of the turns.
 */
export const concurrency = { interactive: 3, bulk: 3, derived: 1, graph: 4 } as const;

/** Interval between two reconciliations, in milliseconds. */
const defaultReconcileMs = 30_000;

export interface WorkerOptions {
  /** Starts the process of a suspect. Default: suspects run in this process. */
  readonly alone?: Pick<WorkerCommand, 'program' | 'args'>;
  readonly reconcileMs?: number;
  /** Time limit of a fetch after a push, in milliseconds. Default: as `WorkDeps`. */
  readonly fetchMs?: number;
  /** Default: none. */
  readonly telemetry?: Telemetry;
}

/** Starts background work: repairs what a kill left incomplete, then takes jobs until stopped. */
export async function startWorker(
  settings: Settings,
  log: Logger,
  { alone, reconcileMs = defaultReconcileMs, fetchMs, telemetry = telemetryOff }: WorkerOptions = {},
): Promise<RunningWorker> {
  await using opened = new AsyncDisposableStack();
  const { database, jobs } = await openJobs(settings, log, fetchMs, opened);
  const databases = await maintainDatabases(settings, log);
  opened.defer(() => databases.stop());
  const reconcilers = jobs.flatMap(({ reconciler }) => reconciler ?? []);
  for (const reconciler of reconcilers) await reconciler.prepare();
  const worker = openWorker({
    database,
    tasks: jobs.flatMap(({ handlers }) => handlers),
    unhandled: jobs.flatMap(({ unhandled = [] }) => unhandled),
    schedules: jobs.flatMap(({ schedules = [] }) => schedules),
    log,
    telemetry,
    clock: systemClock,
    concurrency,
    ...(alone && { runAlone: runInOwnProcess({ ...alone, log }) }),
  });
  worker.start();
  const reconciling = reconcilers.map((each) => reconcileEvery(reconcileMs, each, log));
  const toClose = opened.move();
  return {
    async stop(graceMs) {
      await Promise.all([worker.stop(graceMs), ...reconciling.map((each) => each.stop())]);
      await toClose.disposeAsync();
    },
  };
}

/**
 * Runs the suspect that the parent sends, alone in this process, and returns when its outcome is recorded. `ready` is
 * called when the job can be sent. After `stopped` the job returns to the queue.
 */
export async function runSentJob(
  settings: Settings,
  log: Logger,
  { telemetry, ready, stopped }: { telemetry: Telemetry; ready: () => void; stopped: Promise<void> },
): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const { database, jobs: features } = await openJobs(settings, log, undefined, opened);
  const sent = sentJobs();
  ready();
  const jobs = await Promise.race([sent, stopped]);
  if (jobs === undefined) return;
  const bound = features.flatMap(({ handlers }) => handlers).find(({ task }) => task.name === jobs[0].task);
  if (bound === undefined) throw new Error(`A job of the unknown task ${jobs[0].task} was sent.`);
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort(new WorkerStopping()));
  const complete: Complete = (done) => completeJobs(database, done);
  const deps = { database, clock: systemClock, log, telemetry, complete };
  await runJobs(deps, { bound, jobs, signal: stopping.signal });
}

/** Returns the jobs that the parent sends. */
function sentJobs(): Promise<ClaimedJobs> {
  return new Promise((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.type === 'run') resolve(message.jobs);
    });
  });
}

/** Opens what jobs need, and returns the background work of every feature. `opened` closes it. */
async function openJobs(
  settings: Settings,
  log: Logger,
  fetchMs: number | undefined,
  opened: AsyncDisposableStack,
): Promise<{ readonly database: Database; readonly jobs: readonly FeatureJobs[] }> {
  const { config } = settings;
  const database = await openCurrentDatabase(settings, 'worker', log, { create: false });
  opened.defer(() => database.close());
  const keyring = await openSecrets(settings, database);
  logKeyState(keyring, log);
  const { parser, close: closeParser } = openParser(dataFolder(config.dataDir).codesearch, log);
  opened.defer(closeParser);
  const { codeIndex, close } = openIndexEngine(settings, { log, parser });
  opened.defer(close);
  const { githosts, close: closeGithosts } = openGithosts(settings, { database, keyring });
  opened.defer(closeGithosts);
  const { projection, close: closeProjection } = await openProjection(settings, database, { log, parser });
  opened.defer(closeProjection);
  const git = await openGit(settings, database.queries);
  const deps: JobDeps = {
    ...githosts,
    sealer: oauthSealer(await authSecretOf(settings)),
    accessTokenTtlMs: config.access.accessTokenTtlMs,
    codeIndex,
    projection,
    git,
    fetchMs,
    hostedGit: withOperatorHosts(git, githosts),
    sources: openSourceGate(githosts, git),
    credentials: (target, signal, refused) =>
      credentialsFor(githosts, { ...target, access: 'write', refused }, signal),
    restore: (tx, target, lost) => restoreFiles(tx, connectors, target, lost),
    errorChanged: (tx, target) => checkConnectionsOf(tx, connectors, target),
    refused: (target, error, signal) => recordGitRefusal(githosts, target, error, signal),
    pushed: async (tx, target) => void (await syncPushed(tx, target, systemClock())),
    syncIntervalMs: config.syncIntervalMs,
    conversationRetentionMs: config.conversationRetentionMs,
    dataDir: config.dataDir,
    connectors,
    providerSettings: settings.secrets.providerSettings,
    roots: connectors.map(({ records }) => records.root),
    log,
  };
  return { database, jobs: featureJobs(deps) };
}

/** The features with background work, besides each connector's own. A feature with tasks adds one entry. */
const features = [
  identityJobs,
  oauthJobs,
  githostJobs,
  repositoryJobs,
  followingJobs,
  mirrorJobs,
  knowledgeJobs,
  sharedConnectorJobs,
  conversationJobs,
] as const;

/** Everything that some feature's jobs need. */
type JobDeps = UnionToIntersection<NonNullable<Parameters<(typeof features)[number]>[0]>> &
  Parameters<typeof connectorJobsDeps>[0];
type UnionToIntersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never;

/**
 * Returns the background work of every feature.
 * @internal Exported for the test that compares it with the declared tasks.
 */
export function featureJobs(deps: JobDeps): readonly FeatureJobs[] {
  return [
    ...features.map((jobs) => jobs(deps)),
    ...connectors.map((connector) => connector.jobs(connectorJobsDeps(deps, connector))),
  ];
}

function reconcileEvery(ms: number, { subject, reconcile }: Reconciler, log: Logger): Repeating {
  const stopping = new AbortController();
  const repeating = repeatEvery(
    ms,
    () => reconcile(stopping.signal),
    (error) => {
      if (stopping.signal.aborted) return;
      log.error({ err: error }, `reconciling ${subject} failed; it will be retried`);
    },
  );
  return {
    stop() {
      stopping.abort();
      return repeating.stop();
    },
  };
}
