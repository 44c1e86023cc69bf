import type { Database, Queries } from '../../../foundation/db/database.ts';
import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import { touchConnection } from '../connections/connection-store.ts';
import type { WebhookReader } from '../port.ts';
import type { NewDelivery } from './delivery.ts';
import { insertDeliveries } from './insert-deliveries.ts';

/** Readers by their source: whose task an accepted delivery enqueues. */
export type Readers = ReadonlyMap<NewDelivery['source'], Pick<WebhookReader, 'task'>>;

/**
 * Stores deliveries with the work they lead to, in one transaction: when it has resolved, both are durable. Returns the
 * ids of those that were new; what is known already leads to no work.
 */
export function commitDeliveries(
  database: Database,
  readers: Readers,
  deliveries: readonly NewDelivery[],
  seen: Iterable<readonly [ConnectionId, number]> = [],
): Promise<ReadonlySet<DeliveryId>> {
  // In one order everywhere, so that two processes never wait for each other.
  const ordered = deliveries.toSorted((a, b) => compareKeys(a, b));
  const acceptedAt = [...seen].toSorted(([a], [b]) => compareText(a, b));
  return database.transaction(async (tx) => {
    const added = await insertDeliveries(tx, ordered);
    const work = deliveries.filter(({ id, outcome }) => outcome === 'accepted' && added.has(id));
    await enqueueWork(
      tx,
      readers,
      work.toSorted((a, b) => a.receivedAt - b.receivedAt),
    );
    for (const [connectionId, at] of acceptedAt)
      await touchConnection(tx, 'last_accepted_at', connectionId, at);
    return added;
  });
}

/** Enqueues what accepted deliveries lead to; of one entity the last of those given counts. */
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

function compareKeys(a: NewDelivery, b: NewDelivery): number {
  return (
    compareText(a.connectionId ?? '', b.connectionId ?? '') ||
    compareText(a.deliveryKey ?? '', b.deliveryKey ?? '')
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
