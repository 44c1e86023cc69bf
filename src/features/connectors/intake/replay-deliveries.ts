import type { Database, Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { Conflict, NotFound } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, DeliveryId, OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { requireConnection } from '../connections/connection-store.ts';
import { type Delivery, findDelivery, nextDeliveries } from './delivery-store.ts';
import { enqueueWork } from './group-commit.ts';

export interface ReplayDeps {
  readonly database: Database;
  readonly connectors: Parameters<typeof enqueueWork>[1];
  readonly clock: Clock;
  /** The actor of the replay, for the audit log. */
  readonly actor: AuditActor;
}

/** Number of deliveries replayed per transaction. */
const batchSize = 200;

/**
 * Enqueues the jobs of an accepted delivery again. It is idempotent: jobs of one entity are merged, and they fetch the
 * current state.
 * @throws NotFound; Conflict for a delivery that was not accepted or whose connection was removed.
 */
export async function replayDelivery(deps: ReplayDeps, id: string): Promise<void> {
  const { database } = deps;
  await database.transaction(async (tx) => {
    const delivery = await findDelivery(tx, id);
    if (delivery === undefined) {
      throw new NotFound(
        `There is no delivery ${id}. Run "orgctx deliveries list" to see the deliveries of the last 14 days.`,
      );
    }
    const { outcome, reason = 'no reason was recorded' } = delivery;
    if (outcome !== 'accepted') {
      const message = `Delivery ${id} was ${outcome} (${reason}), so there is nothing to replay. Have the provider send it again, or sync the connection.`;
      throw new Conflict('conflict', message);
    }
    if ((await replay(deps, tx, [delivery])) > 0) return;
    const message = `The connection of delivery ${id} was removed, so there is nothing to replay.`;
    throw new Conflict('conflict', message);
  });
}

/**
 * Replays every accepted delivery of a connection that was received at `since` or later, in milliseconds since the
 * epoch, oldest first. Yields the number replayed by each transaction.
 */
export async function* replayDeliveriesSince(
  deps: ReplayDeps,
  range: { readonly connectionId: ConnectionId; readonly since: number },
): AsyncGenerator<number, void> {
  const filter = { ...range, outcome: 'accepted' } as const;
  let after: DeliveryId | undefined;
  for (;;) {
    const page = { after, limit: batchSize };
    const slice = await nextDeliveries(deps.database.queries, filter, page);
    if (slice.length === 0) return;
    yield await deps.database.transaction((tx) => replay(deps, tx, slice));
    after = slice.at(-1)?.id;
  }
}

/** Replays deliveries whose connection still exists. Returns their number. */
async function replay(
  { connectors, clock, actor }: ReplayDeps,
  tx: Queries,
  deliveries: readonly Delivery[],
): Promise<number> {
  const ids = deliveries.flatMap(({ connectionId }) => connectionId ?? []);
  if (ids.length === 0) return 0;
  const rows = await tx
    .selectFrom('connections')
    .select(['id', 'organization_id as organizationId'])
    .where('id', 'in', ids)
    .execute();
  const existing = new Set<string>(rows.map(({ id }) => id));
  const found = deliveries.filter(({ connectionId = '' }) => existing.has(connectionId));
  if (found.length === 0) return 0;
  await enqueueWork(tx, connectors, found);
  const replayed = found.map(({ id }) => id);
  await tx.updateTable('deliveries').set({ replayed_at: clock() }).where('id', 'in', replayed).execute();
  for (const { id: target, organizationId } of rows) {
    const ofConnection = found.filter(({ connectionId }) => connectionId === target);
    const details = { deliveries: ofConnection.map(({ id }) => id) };
    const entry = { organizationId: organizationId as OrganizationId, actor, target, details };
    await recordAudit(tx, { ...entry, action: 'deliveries.replayed' }, clock());
  }
  return found.length;
}

/**
 * Replays the accepted deliveries of a connection of the caller that were received at `since` or later, in milliseconds
 * since the epoch. @throws NotFound; the reason of `signal`
 */
export async function replayConnection(
  deps: ReplayDeps,
  scope: OrgScope,
  { connectionId, since }: { readonly connectionId: string; readonly since: number },
  signal: AbortSignal,
): Promise<void> {
  const { id } = await requireConnection(deps.database.queries, scope, connectionId);
  for await (const _ of replayDeliveriesSince(deps, { connectionId: id, since })) signal.throwIfAborted();
}
