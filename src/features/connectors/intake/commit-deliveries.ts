import type { Database, Queries } from '../../../foundation/db/database.ts';
import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import { disconnectConnections, touchConnection } from '../connections/connection-store.ts';
import type { Connector, WebhookReader } from '../port.ts';
import type { NewDelivery } from './delivery.ts';
import { insertDeliveries } from './delivery-store.ts';

/** Readers by the kind of connector. An accepted delivery enqueues the task of its reader. */
export type Readers = ReadonlyMap<string, Pick<WebhookReader, 'task'>>;

/** Returns the readers of all connectors. */
export function readersOf(connectors: readonly Connector[]): Readers {
  return new Map(connectors.map(({ kind, webhooks }) => [kind, webhooks]));
}

/**
 * Stores deliveries and enqueues their jobs in one transaction; when it resolves, both are durable. Returns the ids
 * of the new deliveries; known ones enqueue nothing.
 */
export function commitDeliveries(
  database: Database,
  readers: Readers,
  deliveries: readonly NewDelivery[],
  seen: Iterable<readonly [ConnectionId, number]> = [],
): Promise<ReadonlySet<DeliveryId>> {
  // Sorted, so that two processes lock rows in the same order and never deadlock.
  const ordered = deliveries.toSorted(
    (a, b) =>
      compareText(a.connectionId ?? '', b.connectionId ?? '') ||
      compareText(a.deliveryKey ?? '', b.deliveryKey ?? ''),
  );
  const acceptedAt = [...seen].toSorted(([a], [b]) => compareText(a, b));
  return database.transaction(async (tx) => {
    const added = await insertDeliveries(tx, ordered);
    const work = deliveries.filter(({ id, outcome }) => outcome === 'accepted' && added.has(id));
    await enqueueWork(
      tx,
      readers,
      work.toSorted((a, b) => a.receivedAt - b.receivedAt),
    );
    const ended = work.flatMap(({ effect, connectionId }) =>
      effect === 'authorization_revoked' ? (connectionId ?? []) : [],
    );
    await disconnectConnections(tx, [...new Set(ended)].toSorted(compareText), revoked);
    for (const [connectionId, at] of acceptedAt)
      await touchConnection(tx, 'last_accepted_at', connectionId, at);
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
  readers: Readers,
  deliveries: readonly Pick<NewDelivery, 'source' | 'connectionId' | 'entities' | 'traceContext'>[],
): Promise<void> {
  for (const [source, { task }] of readers) {
    const changes = deliveries
      .filter((delivery) => delivery.source === source)
      .flatMap(({ connectionId, entities, traceContext }) =>
        connectionId === undefined
          ? []
          : entities.map((entity) => ({ payload: { connectionId, ...entity }, traceContext })),
      );
    await enqueueAll(
      tx,
      task,
      changes.map(({ payload }) => payload),
      { traceContexts: changes.map(({ traceContext }) => traceContext) },
    );
  }
}
