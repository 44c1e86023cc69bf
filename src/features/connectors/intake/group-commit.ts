import type { Database, Queries } from '../../../foundation/db/database.ts';
import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import { disconnectConnections, touchConnections } from '../connections/connection-store.ts';
import type { TaskConnector } from '../port.ts';
import { insertDeliveries, type NewDelivery } from './delivery-store.ts';

/** Maximum number of deliveries per transaction. Deliveries of one event are never split. */
const maxGroupSize = 128;

/**
 * Minimum interval between two writes of `last_accepted_at` of a connection, in milliseconds. It is only for display.
 */
const touchIntervalMs = 1_000;

/**
 * Makes the verified deliveries of one event durable, all or none. Resolves after that with the ids of the new ones;
 * the set may also contain ids of other events.
 */
export type SubmitDeliveries = (deliveries: readonly NewDelivery[]) => Promise<ReadonlySet<DeliveryId>>;

interface GroupCommitDeps {
  readonly database: Database;
  readonly sources: readonly TaskConnector[];
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Commits all pending deliveries in one transaction while the next group forms. Durability costs one fsync per
 * transaction, so deliveries share it. A submission resolves after COMMIT.
 */
export function groupCommit({ database, sources, log, metrics }: GroupCommitDeps): SubmitDeliveries {
  const touched = new Map<ConnectionId, number>();

  const dueTouches = (deliveries: readonly NewDelivery[]): ReadonlyMap<ConnectionId, number> => {
    const due = new Map<ConnectionId, number>();
    for (const { connectionId, outcome, receivedAt } of deliveries) {
      if (connectionId === undefined || outcome !== 'accepted') continue;
      if (receivedAt - (touched.get(connectionId) ?? 0) >= touchIntervalMs) due.set(connectionId, receivedAt);
    }
    return due;
  };

  const commitAll = async (events: readonly (readonly NewDelivery[])[]) => {
    const deliveries = events.flat();
    const seen = dueTouches(deliveries);
    const added = await commitDeliveries(database, sources, deliveries, seen);
    for (const [connectionId, at] of seen) touched.set(connectionId, at);
    metrics.record('orgctx.intake.batch_size', deliveries.length);
    return events.map(() => added);
  };

  const onError = (error: unknown): 'all' | 'each' => {
    // If the database is unavailable, each single commit would fail as well. A provider waits 5 s for an answer, and
    // this error may have taken 4 s, so the deliveries that wait must not begin such a wait of their own.
    if (error instanceof Unavailable) return 'all';
    log.warn({ err: error }, 'group commit failed; committing the deliveries one by one');
    return 'each';
  };

  return batch(commitAll, { maxSize: maxGroupSize, size: ({ length }) => length, onError });
}

/**
 * Stores deliveries and enqueues their jobs in one transaction; when it resolves, both are durable. Returns the ids
 * of the new deliveries; known ones enqueue nothing.
 * @internal Tests and benches call it alone.
 */
export function commitDeliveries(
  database: Database,
  connectors: readonly TaskConnector[],
  deliveries: readonly NewDelivery[],
  seen: Iterable<readonly [ConnectionId, number]> = [],
): Promise<ReadonlySet<DeliveryId>> {
  // Sorted, so that two processes lock rows in the same order and never deadlock.
  const ordered = deliveries.toSorted(
    (a, b) =>
      compareText(a.connectionId ?? '', b.connectionId ?? '') ||
      compareText(a.deliveryKey ?? '', b.deliveryKey ?? ''),
  );
  return database.transaction(async (tx) => {
    const added = await insertDeliveries(tx, ordered);
    const work = deliveries.filter(({ id, outcome }) => outcome === 'accepted' && added.has(id));
    const oldestFirst = work.toSorted((a, b) => a.receivedAt - b.receivedAt);
    await enqueueWork(tx, connectors, oldestFirst);
    const ended = work.flatMap(({ effect, connectionId }) =>
      effect === 'authorization_revoked' ? (connectionId ?? []) : [],
    );
    await disconnectConnections(tx, [...new Set(ended)].toSorted(compareText), revoked);
    await touchConnections(tx, 'last_accepted_at', seen);
    return added;
  });
}

const revoked = {
  code: 'authorization_revoked',
  message:
    'The authorization was revoked at the provider. Connect the account again to continue. Mirrored files are kept.',
};

/** Enqueues the jobs of accepted deliveries. For one entity, the last of the given deliveries counts. */
export async function enqueueWork(
  tx: Queries,
  connectors: readonly TaskConnector[],
  deliveries: readonly Pick<NewDelivery, 'source' | 'connectionId' | 'entities' | 'traceContext'>[],
): Promise<void> {
  for (const { kind, tasks } of connectors) {
    const changes = deliveries
      .filter(({ source }) => source === kind)
      .flatMap(({ connectionId, entities, traceContext }) =>
        connectionId === undefined
          ? []
          : entities.map((entity) => ({ payload: { connectionId, ...entity }, traceContext })),
      );
    const payloads = changes.map(({ payload }) => payload);
    const traceContexts = changes.map(({ traceContext }) => traceContext);
    await enqueueAll(tx, tasks.incremental, payloads, { traceContexts });
  }
}
