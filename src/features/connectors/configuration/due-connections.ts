import type { Queries } from '../../../foundation/db/database.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { hasStopper } from '../../../foundation/jobs/inspect/keyed-jobs.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { MirrorTarget } from '../../mirror/mirror-target.ts';
import type { ReportedPush } from '../../mirror/mirror-target-store.ts';
import { configuredStates } from '../connections/connection.ts';
import { connectorOf } from '../connections/connections-deps.ts';
import type { TaskConnector } from '../port.ts';
import { type ConfigurationDeps, nextCheckDelay } from './sync-configuration.ts';

/** Maximum number of connections that one round starts checks of. */
const maxPerRound = 500;

/**
 * Starts the check of each connection that is due. Cheap if there is none. Of several workers one starts each check:
 * the planned time of the next one is also its claim. A check that stopped its worker is repeated after a push, or by a
 * user or an operator.
 */
export async function checkDueConnections(
  { database, clock, connectors, syncIntervalMs }: ConfigurationDeps,
  signal: AbortSignal,
): Promise<void> {
  const now = clock();
  const due = await database.queries
    .selectFrom('connections')
    .select(['id', 'kind', 'state', 'next_check_at'])
    .where('next_check_at', '<=', now)
    .where('state', 'in', configuredStates)
    .orderBy('next_check_at')
    .limit(maxPerRound)
    .execute();
  for (const { id, kind, state, next_check_at: planned } of due) {
    signal.throwIfAborted();
    await database.transaction(async (tx) => {
      const next_check_at = now + nextCheckDelay(syncIntervalMs, state, 'soon');
      const claim = tx.updateTable('connections').set({ next_check_at }).where('id', '=', id);
      const { numUpdatedRows } = await claim.where('next_check_at', '=', planned).executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      const { config } = connectorOf(connectors, kind).tasks;
      if (!(await hasStopper(tx, config, id)))
        await enqueue(tx, config, { connectionId: id as ConnectionId });
    });
  }
}

/** Starts the check of the connections that mirror into a target, because its error changed. */
export async function checkConnectionsOf(
  tx: Queries,
  connectors: readonly TaskConnector[],
  { id: targetId }: Pick<MirrorTarget, 'id'>,
): Promise<void> {
  const rows = await tx
    .selectFrom('connections')
    .select(['id', 'kind'])
    .where('target_id', '=', targetId)
    .where('state', 'in', configuredStates)
    .orderBy('id')
    .execute();
  await checkAll(tx, connectors, rows);
}

async function checkAll(
  tx: Queries,
  connectors: readonly TaskConnector[],
  connections: readonly { readonly id: string; readonly kind: string }[],
): Promise<void> {
  for (const { id, kind } of connections) {
    const { config } = connectorOf(connectors, kind).tasks;
    await enqueue(tx, config, { connectionId: id as ConnectionId }, { runAt: 0 });
  }
}

/**
 * Starts the check of each connection whose context repository was pushed to, on its target or configuration branch.
 * The commits of the mirror itself change no configuration. Returns their number.
 */
export async function checkPushedConnections(
  tx: Queries,
  connectors: readonly TaskConnector[],
  { organizationId, repository, branch, commit }: ReportedPush,
): Promise<number> {
  const rows = await tx
    .selectFrom('connections')
    .innerJoin('mirror_targets', 'mirror_targets.id', 'connections.target_id')
    .select(['connections.id', 'connections.kind', 'connections.branch', 'pull_request', 'head'])
    .where('connections.organization_id', '=', organizationId)
    .where('mirror_targets.repository', '=', repository)
    .where('connections.state', 'in', configuredStates)
    .orderBy('connections.id')
    .execute();
  const pushed = rows.filter((row) => {
    if (branch === undefined) return true;
    if (branch === row.branch) return commit === undefined || commit !== row.head;
    return (
      row.pull_request !== null && (JSON.parse(row.pull_request) as { branch?: string }).branch === branch
    );
  });
  await checkAll(tx, connectors, pushed);
  return pushed.length;
}
