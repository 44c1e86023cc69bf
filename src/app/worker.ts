import { pruneDeliveries } from '../features/connectors/intake/prune-deliveries.ts';
import { deliveriesPrune, deliveriesPruneSchedule } from '../features/connectors/intake/tasks.ts';
import { trackerSyncIncremental } from '../features/connectors/tracker/tasks.ts';
import { tidySignIns } from '../features/identity/sign-in/tidy-sign-ins.ts';
import { commitChanges } from '../features/mirror/commit-changes.ts';
import type { MirrorDeps } from '../features/mirror/mirror-deps.ts';
import { mirrorCommit } from '../features/mirror/tasks.ts';
import { tendMirror } from '../features/mirror/tend-mirror.ts';
import { identityTidy, identityTidySchedule } from '../features/oauth/tasks.ts';
import { type TidyAuthorizationsDeps, tidyAuthorizations } from '../features/oauth/tidy-authorizations.ts';
import { cloneRepository } from '../features/repositories/clone-repository.ts';
import { eraseRepository } from '../features/repositories/erase-repository.ts';
import { indexRepository } from '../features/repositories/index-repository.ts';

import type { WorkDeps } from '../features/repositories/repository-work.ts';
import {
  repositoryClone,
  repositoryIndex,
  repositoryRemove,
  repositoryTidy,
} from '../features/repositories/tasks.ts';
import { tendRepositories } from '../features/repositories/tend-repositories.ts';
import { tidyRepository } from '../features/repositories/tidy-repository.ts';
import { writeCaBundle } from '../foundation/git/ca-bundle.ts';
import { type BoundTask, handle } from '../foundation/jobs/handler.ts';
import { repeatEvery } from '../foundation/jobs/repeat.ts';
import { openWorker } from '../foundation/jobs/worker.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../foundation/telemetry/telemetry.ts';
import { mirrorCredentials } from './mirror-credentials.ts';
import { openIndexEngine } from './open-code-search.ts';
import { openCurrentDatabase, type Settings } from './open-database.ts';
import { authSecretOf, logKeyState, oauthSealer, openSecrets } from './open-secrets.ts';
import { repairWhenReachable } from './repair-when-reachable.ts';
import { tendDatabases } from './tend-databases.ts';

export interface RunningWorker {
  /** Stops claiming, gives running jobs `graceMs` to end and hands the rest back to the queue. */
  stop(graceMs: number): Promise<void>;
}

/** Jobs at once in one process: clones wait for the network while an index is built. */
const concurrency = 3;

/** Between two looks for repositories and mirror targets that need help, in milliseconds. */
const usualTendMs = 30_000;

export interface WorkerOptions {
  readonly tendMs?: number;
  /** Default: none. */
  readonly telemetry?: Telemetry;
}

/** Starts background work: repairs what a kill left half said, then takes jobs until stopped. */
export async function startWorker(
  settings: Settings,
  log: Logger,
  { tendMs = usualTendMs, telemetry = telemetryOff }: WorkerOptions = {},
): Promise<RunningWorker> {
  const { config } = settings;
  await using opened = new AsyncDisposableStack();
  const database = await openCurrentDatabase(settings, 'worker', log, { create: false });
  opened.defer(() => database.close());
  const keyring = await openSecrets(settings, database);
  logKeyState(keyring, log);
  const databases = await tendDatabases(settings, log);
  opened.defer(() => databases.stop());
  const { codeIndex, close } = openIndexEngine(settings, log);
  opened.defer(close);
  const deps: HandlerDeps = {
    database,
    sealer: oauthSealer(await authSecretOf(settings)),
    accessTokenTtlMs: config.access.accessTokenTtlMs,
    codeIndex,
    git: await gitDeps(config),
    clock: systemClock,
    credentials: mirrorCredentials(database.queries, keyring),
  };
  const repair = await repairWhenReachable(deps, log);
  await tendMirror(deps);
  const worker = openWorker({
    database,
    tasks: boundTasks(deps),
    // It comes with the connector; until then what webhooks lead to waits.
    unhandled: [trackerSyncIncremental],
    schedules: [deliveriesPruneSchedule, identityTidySchedule],
    log,
    telemetry,
    clock: systemClock,
    concurrency,
  });
  worker.start();
  const tending = [
    repeatEvery(
      tendMs,
      async () => {
        await repair.again();
        await tendRepositories(deps);
      },
      (error) => log.error({ err: error }, 'tending repositories failed'),
    ),
    repeatEvery(
      tendMs,
      () => tendMirror(deps),
      (error) => log.error({ err: error }, 'tending context repositories failed'),
    ),
  ];
  const toClose = opened.move();
  return {
    async stop(graceMs) {
      await Promise.all([worker.stop(graceMs), ...tending.map((each) => each.stop())]);
      await toClose.disposeAsync();
    },
  };
}

/** Git trusts what this process trusts: NODE_EXTRA_CA_CERTS reaches it as a file. */
async function gitDeps({ dataDir, outbound }: Settings['config']): Promise<WorkDeps['git']> {
  const caFile = await writeCaBundle(dataDir);
  return { dataDir, allowHosts: outbound.allowHosts, ...(caFile === undefined ? {} : { caFile }) };
}

type HandlerDeps = WorkDeps & MirrorDeps & TidyAuthorizationsDeps;

/** The tasks that this version does, each with its code. */
function boundTasks(deps: HandlerDeps): readonly BoundTask[] {
  return [
    handle(repositoryClone, (payload, context) => cloneRepository(deps, payload, context)),
    handle(repositoryIndex, (payload, context) => indexRepository(deps, payload, context)),
    handle(repositoryTidy, (payload, context) => tidyRepository(deps, payload, context)),
    handle(repositoryRemove, (payload) => eraseRepository(deps, payload)),
    handle(deliveriesPrune, async (_payload, { signal }) => void (await pruneDeliveries(deps, signal))),
    handle(identityTidy, async (_payload, { signal }) => {
      await tidySignIns(deps, signal);
      await tidyAuthorizations(deps, signal);
    }),
    handle(mirrorCommit, (payload, context) => commitChanges(deps, payload, context)),
  ];
}
