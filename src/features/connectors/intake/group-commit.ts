import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import type { NewDelivery } from './delivery.ts';

/** Maximum number of deliveries per transaction. Deliveries of one event are never split. */
const maxGroupSize = 128;

/**
 * Minimum interval between two writes of `last_accepted_at` of a connection, in milliseconds. It is only for display.
 */
const touchIntervalMs = 1_000;

/** Commits deliveries in one transaction; see `commitDeliveries`. */
export type Commit = (
  deliveries: readonly NewDelivery[],
  seen: Iterable<readonly [ConnectionId, number]>,
) => Promise<ReadonlySet<DeliveryId>>;

/**
 * Makes the verified deliveries of one event durable, all or none. Resolves after that with the ids of the new ones;
 * the set may also contain ids of other events.
 */
export type SubmitDeliveries = (deliveries: readonly NewDelivery[]) => Promise<ReadonlySet<DeliveryId>>;

/**
 * Commits all pending deliveries in one transaction while the next group forms. Durability costs one fsync per
 * transaction, so deliveries share it. A submission resolves after COMMIT.
 */
export function groupCommit(
  commit: Commit,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): SubmitDeliveries {
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
    const added = await commit(deliveries, seen);
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
