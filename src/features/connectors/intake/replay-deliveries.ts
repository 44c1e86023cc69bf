import type { Database, Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { Conflict, NotFound } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import { existingConnections } from '../connections/connection-store.ts';
import { enqueueWork, type Readers } from './commit-deliveries.ts';
import type { Delivery } from './delivery.ts';
import { findDelivery, markReplayed, nextDeliveries } from './delivery-store.ts';

export interface ReplayDeps {
  readonly database: Database;
  readonly readers: Readers;
  readonly clock: Clock;
}

/** Deliveries replayed in one transaction. */
const sliceSize = 200;

/**
 * Enqueues again what an accepted delivery led to. Twice is as good as once: the jobs of one entity become one, and they
 * fetch the present state.
 * @throws NotFound, Conflict for a delivery that led to nothing, or whose connection is gone
 */
export async function replayDelivery(deps: ReplayDeps, id: string): Promise<void> {
  const { database } = deps;
  await database.transaction(async (tx) => {
    const delivery = await findDelivery(tx, id);
    if (delivery === undefined) {
      throw new NotFound(`There is no delivery ${id}: "orgctx deliveries list" shows those of 14 days.`);
    }
    if (delivery.outcome !== 'accepted') throw ledToNothing(delivery);
    if ((await replay(deps, tx, [delivery])) === 0) {
      throw new Conflict('conflict', `The connection of delivery ${id} was removed: there is nothing to do.`);
    }
  });
}

export interface ReplayRange {
  readonly connectionId: ConnectionId;
  /** Received at this time or later, ms since the epoch. */
  readonly since: number;
}

/** The same for every accepted delivery of a time, oldest first; yields how many each transaction replayed. */
export async function* replayDeliveriesSince(
  deps: ReplayDeps,
  range: ReplayRange,
): AsyncGenerator<number, void> {
  const filter = { ...range, outcome: 'accepted' } as const;
  let after: DeliveryId | undefined;
  for (;;) {
    const page = { after, limit: sliceSize };
    const slice = await nextDeliveries(deps.database.queries, filter, page);
    if (slice.length === 0) return;
    yield await deps.database.transaction((tx) => replay(deps, tx, slice));
    after = slice.at(-1)?.id;
  }
}

/** Returns how many had a connection to be replayed for. */
async function replay(
  { readers, clock }: ReplayDeps,
  tx: Queries,
  deliveries: readonly Delivery[],
): Promise<number> {
  const connections = deliveries.flatMap(({ connectionId }) => connectionId ?? []);
  const there = await existingConnections(tx, [...new Set(connections)]);
  const found = deliveries.filter(({ connectionId = '' }) => there.has(connectionId));
  await enqueueWork(tx, readers, found);
  await markReplayed(
    tx,
    found.map(({ id }) => id),
    clock(),
  );
  return found.length;
}

function ledToNothing({ id, outcome, reason }: Delivery): Conflict {
  return new Conflict(
    'conflict',
    `Delivery ${id} was ${outcome} (${reason ?? 'no reason was kept'}), so there is nothing to do again: have the ` +
      'provider send it again, or sync the connection.',
  );
}
