import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { gather } from '../../../foundation/kernel/gather.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import type { NewDelivery } from './delivery.ts';

/** Deliveries in one transaction; those of one event go together, however many connections it is for. */
const largestGroup = 128;

/** `last_accepted_at` is for people: it is written once in this time a connection, not with every delivery. */
const touchEveryMs = 1_000;

/** One transaction; see `commitDeliveries`. */
export type Commit = (
  deliveries: readonly NewDelivery[],
  seen: Iterable<readonly [ConnectionId, number]>,
) => Promise<ReadonlySet<DeliveryId>>;

/**
 * Makes the verified deliveries of one event durable; they stand or fall together. Resolves with the ids of those that
 * are new, and maybe of others', once they are durable.
 */
export type SubmitDeliveries = (deliveries: readonly NewDelivery[]) => Promise<ReadonlySet<DeliveryId>>;

interface GroupCommitDeps {
  readonly commit: Commit;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Commits what waits in one transaction, and meanwhile lets the next one gather: durability costs one fsync a
 * transaction, so it is shared. Whoever submits is answered after COMMIT.
 */
export function groupCommit({ commit, log, metrics }: GroupCommitDeps): SubmitDeliveries {
  const touched = new Map<ConnectionId, number>();

  const dueTouches = (deliveries: readonly NewDelivery[]): ReadonlyMap<ConnectionId, number> => {
    const due = new Map<ConnectionId, number>();
    for (const { connectionId, outcome, receivedAt } of deliveries) {
      if (connectionId === undefined || outcome !== 'accepted') continue;
      if (receivedAt - (touched.get(connectionId) ?? 0) >= touchEveryMs) due.set(connectionId, receivedAt);
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

  const alone = (error: unknown): boolean => {
    // A database that is away is so for each of them.
    if (error instanceof Unavailable) return false;
    log.warn({ err: error }, 'deliveries are committed one by one');
    return true;
  };

  return gather(commitAll, { largest: largestGroup, size: ({ length }) => length, alone });
}
