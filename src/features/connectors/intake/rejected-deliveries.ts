import type { Database } from '../../../foundation/db/database.ts';
import { type Repeating, repeatEvery } from '../../../foundation/jobs/repeat.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { touchConnection } from '../connections/connection-store.ts';
import type { NewDelivery } from './delivery.ts';
import { insertDeliveries } from './insert-deliveries.ts';

/** Rejected deliveries that are kept of one minute; of the others only their number, in the log. */
const keptPerMinute = {
  /** That name the account of a connection, of each one: what an operator looks for is among them. */
  connection: 10,
  /** That name none. */
  others: 20,
  together: 300,
} as const;
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
  /** Of this minute, the first of each connection; of those, what is not written down yet. */
  #rejectedAt = new Map<ConnectionId, number>();
  #untold = new Map<ConnectionId, number>();
  #minute = 0;
  #kept = 0;
  #keptOf = new Map<ConnectionId | 'others', number>();
  #passedOver = 0;

  constructor(database: Database, log: Logger, flushMs = flushEveryMs) {
    this.#database = database;
    this.#log = log;
    const failed = (error: unknown): void =>
      log.warn({ err: error }, 'rejected deliveries were not recorded');
    this.#repeating = repeatEvery(flushMs, () => this.#flush(), failed);
  }

  /** `claimed`: connections of the account that it said it is about. `delivery` is asked only where it is kept. */
  note(claimed: readonly ConnectionId[], receivedAt: number, delivery: () => NewDelivery): void {
    this.#beginMinute(receivedAt);
    for (const connectionId of claimed) {
      if (!this.#rejectedAt.has(connectionId)) {
        this.#rejectedAt.set(connectionId, receivedAt);
        this.#untold.set(connectionId, receivedAt);
      }
    }
    if (this.#mayKeep(claimed)) this.#waiting.push(delivery());
    else this.#passedOver += 1;
  }

  /** Counts it, too. Its map is of those that are kept, so no larger than they are many. */
  #mayKeep(claimed: readonly ConnectionId[]): boolean {
    if (this.#kept >= keptPerMinute.together) return false;
    const of = claimed.length === 0 ? (['others'] as const) : claimed;
    const most = claimed.length === 0 ? keptPerMinute.others : keptPerMinute.connection;
    if (of.every((one) => (this.#keptOf.get(one) ?? 0) >= most)) return false;
    for (const one of of) this.#keptOf.set(one, (this.#keptOf.get(one) ?? 0) + 1);
    this.#kept += 1;
    return true;
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
    this.#keptOf = new Map();
    this.#rejectedAt = new Map();
    this.#passedOver = 0;
  }

  async #flush(): Promise<void> {
    const deliveries = this.#waiting.splice(0);
    const touches = [...this.#untold].toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#untold = new Map();
    if (deliveries.length === 0 && touches.length === 0) return;
    await this.#database.transaction(async (tx) => {
      if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
      for (const [connectionId, at] of touches) {
        await touchConnection(tx, 'last_rejected_at', connectionId, at);
      }
    });
  }
}
