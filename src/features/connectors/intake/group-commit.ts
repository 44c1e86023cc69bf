import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import type { NewDelivery } from './delivery.ts';

/** Deliveries in one transaction. */
const batchSize = 128;

/** Turns of the event loop in which a batch gathers. */
const mostTurns = 20;

/** `last_accepted_at` is for people: it is written once in this time a connection, not with every delivery. */
const touchEveryMs = 1_000;

/** One transaction; see `commitDeliveries`. */
export type Commit = (
  deliveries: readonly NewDelivery[],
  seen: Iterable<readonly [ConnectionId, number]>,
) => Promise<ReadonlySet<DeliveryId>>;

/** Where verified deliveries are made durable. */
export interface DeliveryStore {
  /** Resolves with the ids of those that are new, when they are durable. They stand or fall together. */
  submit(deliveries: readonly NewDelivery[]): Promise<ReadonlySet<DeliveryId>>;
}

interface Entry {
  readonly deliveries: readonly NewDelivery[];
  readonly done: PromiseWithResolvers<ReadonlySet<DeliveryId>>;
}

interface GroupCommitDeps {
  readonly commit: Commit;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Commits what waits in one transaction, and meanwhile lets the next one gather: durability costs one fsync a
 * transaction, so it is shared. Whoever submits is answered after COMMIT.
 */
export class GroupCommit implements DeliveryStore {
  readonly #deps: GroupCommitDeps;
  readonly #touched = new Map<ConnectionId, number>();
  #waiting: Entry[] = [];
  #flushing = false;

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps;
  }

  submit(deliveries: readonly NewDelivery[]): Promise<ReadonlySet<DeliveryId>> {
    const done = Promise.withResolvers<ReadonlySet<DeliveryId>>();
    this.#waiting.push({ deliveries, done });
    if (!this.#flushing) void this.#flushAll();
    return done.promise;
  }

  async #flushAll(): Promise<void> {
    this.#flushing = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#flush(this.#takeBatch());
    }
    this.#flushing = false;
  }

  /**
   * Waits while each turn of the event loop brings more: who was answered a moment ago sends the next, and a commit for
   * two costs as much as one for fifty. Alone, a delivery waits for one turn.
   */
  async #gather(): Promise<void> {
    for (let turn = 0, before = 0; turn < mostTurns && this.#waiting.length > before; turn += 1) {
      before = this.#waiting.length;
      await nextTurn();
    }
  }

  #takeBatch(): readonly Entry[] {
    let deliveries = 0;
    const fitting = this.#waiting.findIndex((entry) => {
      deliveries += entry.deliveries.length;
      return deliveries > batchSize;
    });
    // One entry goes however many connections it is for.
    return this.#waiting.splice(0, fitting === -1 ? this.#waiting.length : Math.max(1, fitting));
  }

  /** Never throws: everybody in the batch is answered. */
  async #flush(batch: readonly Entry[]): Promise<void> {
    try {
      await this.#commit(batch);
    } catch (error) {
      if (batch.length === 1 || error instanceof Unavailable) {
        // A database that is away is so for each of them.
        for (const { done } of batch) done.reject(error);
        return;
      }
      this.#deps.log.warn({ err: error, deliveries: batch.length }, 'deliveries are committed one by one');
      for (const entry of batch) await this.#flush([entry]);
    }
  }

  async #commit(batch: readonly Entry[]): Promise<void> {
    const deliveries = batch.flatMap((entry) => entry.deliveries);
    const seen = this.#dueTouches(deliveries);
    const added = await this.#deps.commit(deliveries, seen);
    for (const [connectionId, at] of seen) this.#touched.set(connectionId, at);
    this.#deps.metrics.record('orgctx.intake.batch_size', deliveries.length);
    for (const { done } of batch) done.resolve(added);
  }

  #dueTouches(deliveries: readonly NewDelivery[]): ReadonlyMap<ConnectionId, number> {
    const due = new Map<ConnectionId, number>();
    for (const { connectionId, outcome, receivedAt } of deliveries) {
      if (connectionId === undefined || outcome !== 'accepted') continue;
      if (receivedAt - (this.#touched.get(connectionId) ?? 0) >= touchEveryMs) {
        due.set(connectionId, receivedAt);
      }
    }
    return due;
  }
}
