import type { Queries } from '../../../foundation/db/database.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError, RateLimited, Unavailable } from '../../../foundation/kernel/errors.ts';
import { findGithost } from '../../githosts/githost-store.ts';
import { requestComparison } from '../../mirror/change-store.ts';
import { findTarget } from '../../mirror/mirror-target-store.ts';
import {
  type Connection,
  type ConnectionError,
  type ConnectionState,
  hasConfiguration,
  type LiveConfiguration,
} from '../connections/connection.ts';
import {
  auditConnection,
  changeConnection,
  enterState,
  findConnectionAcrossOrganizations,
  lockConnection,
} from '../connections/connection-store.ts';
import { type ConnectionsDeps, connectorOf } from '../connections/connections-deps.ts';
import type { ConnectionPayload, Connector } from '../port.ts';
import { ensureContextTarget, openContextHost } from '../setup/context-repository.ts';
import { type Inspection, inspectConfiguration, mirrorRefused } from './inspect-configuration.ts';

export interface ConfigurationDeps extends ConnectionsDeps {
  readonly syncIntervalMs: number;
}

/**
 * Reads the configuration on the branch of a connection, and on its open pull request, and records what follows. Only
 * the file on the branch counts: a valid one connects; an invalid one keeps the last valid scope and makes the
 * connection `degraded`. Failures of the Git host are recorded or tried again later; the job does not fail with them.
 */
export async function syncConfiguration(
  deps: ConfigurationDeps,
  { connectionId }: ConnectionPayload,
  context: JobContext,
): Promise<void> {
  const connection = await findConnectionAcrossOrganizations(deps.database.queries, connectionId);
  const binding = connection?.binding;
  if (connection === undefined || binding === undefined || !hasConfiguration(connection)) return;
  const connector = connectorOf(deps.connectors, connection.kind);
  try {
    const { host } = await openContextHost(deps, connection.organizationId, binding);
    const inspected = { connector, connection, binding, host, signal: context.signal };
    const inspection = await inspectConfiguration(inspected);
    await record(deps, context, connector, connection, inspection);
  } catch (error) {
    if (context.signal.aborted || !(error instanceof OrgctxError)) throw error;
    await recordFailure(deps, context, connection, error);
  }
}

/** Records a failure. One that passes by itself only delays the next check. */
async function recordFailure(
  deps: ConfigurationDeps,
  context: JobContext,
  connection: Connection,
  error: OrgctxError,
): Promise<void> {
  const { id, organizationId } = connection;
  context.log.warn({ err: error, connectionId: id }, 'the configuration of a connection was not read');
  const isLimited = error instanceof RateLimited || error instanceof Unavailable;
  const waitMs = (isLimited ? (error.retryAfter ?? 0) : 0) * 1_000;
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const locked = await lockConnection(tx, { organizationId }, id);
    if (!hasConfiguration(locked)) return;
    await followBranch(tx, locked, undefined);
    const delay = Math.max(waitMs, nextCheckDelay(deps.syncIntervalMs, locked.state, 'soon'));
    const planned = { next_check_at: deps.clock() + delay };
    if (!isPermanent(error)) return changeConnection(tx, locked, planned);
    await settle(tx, locked, { code: error.code, message: error.message }, planned);
  });
}

/** Saves an error: a connection that was connected is `degraded` until it is gone. */
async function settle(
  tx: Queries,
  connection: Connection,
  error: ConnectionError | undefined,
  changes: Parameters<typeof changeConnection>[2],
): Promise<void> {
  const columns = { ...changes, error: error === undefined ? null : JSON.stringify(error) };
  if (connection.state === 'awaiting_merge') await changeConnection(tx, connection, columns);
  else await enterState(tx, connection, error === undefined ? 'connected' : 'degraded', columns);
}

async function record(
  deps: ConfigurationDeps,
  context: JobContext,
  connector: Connector,
  { id, organizationId, binding: seen, pull: seenPull }: Connection,
  inspection: Inspection,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const connection = await lockConnection(tx, { organizationId }, id);
    // It was bound elsewhere or disconnected meanwhile.
    if (!hasConfiguration(connection) || connection.binding?.targetId !== seen?.targetId) return;
    const now = deps.clock();
    await followName(deps, tx, connection, inspection);
    await followBranch(tx, connection, inspection.tip);
    const { live, repository } = inspection;
    // A person may have opened another pull request meanwhile; the next check reads that one.
    const isSamePull = JSON.stringify(connection.pull) === JSON.stringify(seenPull);
    const pull = isSamePull ? inspection.pull : connection.pull;
    const delay = isSamePull ? nextCheckDelay(deps.syncIntervalMs, connection.state, 'regular') : 0;
    const columns = {
      next_check_at: now + delay,
      ...(repository === undefined ? {} : { repository: repository.fullName }),
      pull_request: pull === undefined ? null : JSON.stringify(pull),
    };
    const error = (await errorOf(tx, connection, { live, pull })) ?? reauthorizationDue(connection, now);
    const isValid = live.status === 'valid';
    const present = isValid ? await goLive(tx, connector, connection, live, now) : connection;
    await settle(tx, present, error, columns);
    // The comparison runs as often as this check, and also while the file on the branch is invalid.
    const isMirrored = connection.live !== undefined && connection.state !== 'awaiting_merge';
    if (isMirrored) await enqueue(tx, connector.tasks.content, { connectionId: id, full: false });
  });
}

/**
 * Has the branch compared with the mirrored files, if its tip is another than the last time. A Git host may refuse its
 * API and still serve Git.
 */
async function followBranch(
  tx: Queries,
  { binding, live, state }: Connection,
  tip: string | undefined,
): Promise<void> {
  if (binding === undefined || live === undefined || state === 'awaiting_merge') return;
  await requestComparison(tx, binding.targetId, tip);
}

/** Saves a valid configuration, and has its content compared if it is another one. Returns the connection with it. */
async function goLive(
  tx: Queries,
  connector: Connector,
  connection: Connection,
  { commit, configuration }: LiveConfiguration,
  now: number,
): Promise<Connection> {
  const { id, live: former } = connection;
  const text = JSON.stringify(configuration);
  const state = connection.state === 'awaiting_merge' ? 'connected' : connection.state;
  await enterState(tx, connection, state, { live_config: text, live_commit: commit });
  if (JSON.stringify(former?.configuration) !== text) {
    // At once, even if a step that failed under the former configuration waits for its next attempt.
    await enqueue(tx, connector.tasks.content, { connectionId: id, full: false }, { runAt: 0 });
    const action = former === undefined ? 'connection.connected' : 'connection.reconfigured';
    await auditConnection(tx, connection, { kind: 'system' }, action, { commit, configuration }, now);
  }
  return { ...connection, state };
}

/** Returns what a person must fix; `undefined` if nothing. */
async function errorOf(
  tx: Queries,
  { state, binding, syncError }: Connection,
  { live, pull }: Pick<Inspection, 'live' | 'pull'>,
): Promise<ConnectionError | undefined> {
  if (live.status === 'failed') {
    if (state !== 'awaiting_merge' || live.error.code !== 'config_missing') return live.error;
    return pull?.state === 'closed' ? pullClosed : undefined;
  }
  const target = binding && (await findTarget(tx, binding.targetId));
  if (target?.error?.permanent === true) return { code: mirrorRefused, message: target.error.message };
  return syncError;
}

/** Time before the end of an authorization from which a person is told to renew it, in milliseconds. */
const noticeMs = 7 * 86_400_000;

function reauthorizationDue({ reauthorizeBy, state }: Connection, now: number): ConnectionError | undefined {
  if (reauthorizeBy === undefined || state === 'awaiting_merge' || reauthorizeBy - noticeMs > now)
    return undefined;
  const day = new Date(reauthorizeBy).toISOString().slice(0, 10);
  const message = `The provider ends the authorization on ${day}. Authorize the account again before.`;
  return { code: 'reauthorization_due', message };
}

const pullClosed: ConnectionError = {
  code: 'pull_request_closed',
  message:
    'The configuration pull request was closed without a merge. Open it again at the Git host, or retry it.',
};

/** Follows a repository that was renamed or transferred, so that pushes keep reaching it. */
async function followName(
  deps: ConfigurationDeps,
  tx: Queries,
  { organizationId, binding }: Connection,
  { repository }: Inspection,
): Promise<void> {
  if (binding === undefined || repository === undefined || repository.fullName === binding.repository) return;
  const { githostConnectionId, branch } = binding;
  const githost = await findGithost(tx, { organizationId }, githostConnectionId);
  if (githost !== undefined) await ensureContextTarget(tx, deps, githost, { repository, branch });
}

/**
 * Delay of the next check while people are about to merge, in milliseconds. The worker starts the checks that are due
 * every 30 seconds (contract section 2, SYNC_INTERVAL). With a short delay each round checks the connection, whenever
 * the former check ended.
 */
const awaitingMs = 5_000;
/** Delay of the next check after a failure that passes by itself, in milliseconds. */
const soonMs = 60_000;
/** Share of the interval by which checks vary, so that many connections are not checked at once. */
const jitter = 0.2;

/** Returns the delay until the next check of a configuration, in milliseconds. */
export function nextCheckDelay(
  syncIntervalMs: number,
  state: ConnectionState,
  when: 'regular' | 'soon',
): number {
  if (state === 'awaiting_merge') return awaitingMs;
  if (when === 'soon') return Math.min(soonMs, syncIntervalMs);
  return Math.round(syncIntervalMs * (1 - jitter * Math.random()));
}
