import type { Database, Queries } from '../../../foundation/db/database.ts';
import { type Repeating, repeatEvery } from '../../../foundation/jobs/repeat.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { NewDelivery } from './delivery.ts';
import { insertDeliveries } from './insert-deliveries.ts';

/** Rejected deliveries that are kept of one minute; of the others only their number, in the log. */
const keptPerMinute = 60;
const minuteMs = 60_000;
const flushEveryMs = 1_000;

/**
 * Writes down what was refused, for whoever looks for the reason: a little later, apart from the accepted ones, and
 * bounded, since anybody can send what is refused. Nothing waits for it and nothing fails with it.
 */
export class RejectedDeliveries {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #repeating: Repeating;
  #waiting: NewDelivery[] = [];
  #rejectedAt = new Map<ConnectionId, number>();
  #minute = 0;
  #kept = 0;
  #passedOver = 0;

  constructor(database: Database, log: Logger, flushMs = flushEveryMs) {
    this.#database = database;
    this.#log = log;
    const failed = (error: unknown): void =>
      log.warn({ err: error }, 'rejected deliveries were not recorded');
    this.#repeating = repeatEvery(flushMs, () => this.#flush(), failed);
  }

  /** `claimed`: connections of the account that it said it is about. */
  note(delivery: NewDelivery, claimed: readonly ConnectionId[]): void {
    for (const connectionId of claimed) this.#rejectedAt.set(connectionId, delivery.receivedAt);
    this.#beginMinute(delivery.receivedAt);
    if (this.#kept >= keptPerMinute) {
      this.#passedOver += 1;
      return;
    }
    this.#kept += 1;
    this.#waiting.push(delivery);
  }

  async close(): Promise<void> {
    await this.#repeating.stop();
    await this.#flush().catch((error: unknown) => {
      this.#log.warn({ err: error }, 'rejected deliveries were not recorded');
    });
  }

  #beginMinute(now: number): void {
    const minute = Math.floor(now / minuteMs);
    if (minute === this.#minute) return;
    if (this.#passedOver > 0) {
      this.#log.warn({ deliveries: this.#passedOver }, 'more deliveries were rejected than are recorded');
    }
    this.#minute = minute;
    this.#kept = 0;
    this.#passedOver = 0;
  }

  async #flush(): Promise<void> {
    const deliveries = this.#waiting.splice(0);
    const touches = [...this.#rejectedAt].toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#rejectedAt = new Map();
    if (deliveries.length === 0 && touches.length === 0) return;
    await this.#database.transaction(async (tx) => {
      if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
      for (const [connectionId, at] of touches) await touchRejected(tx, connectionId, at);
    });
  }
}

async function touchRejected(tx: Queries, connectionId: ConnectionId, at: number): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ last_rejected_at: at })
    .where('id', '=', connectionId)
    .where((e) => e.or([e('last_rejected_at', 'is', null), e('last_rejected_at', '<', at)]))
    .execute();
}
