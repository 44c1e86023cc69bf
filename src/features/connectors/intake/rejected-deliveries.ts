import type { Database } from '../../../foundation/db/database.ts';
import { type Repeating, repeatEvery } from '../../../foundation/jobs/worker/repeat.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { touchConnection } from '../connections/connection-store.ts';
import { insertDeliveries, type NewDelivery } from './delivery-store.ts';

/** Maximum number of rejected deliveries recorded per minute. Of the others, only the number is logged. */
const maxPerMinute = {
  /** For each connection whose account they name; an operator usually looks for one of these. */
  connection: 10,
  /** For all that name no known account. */
  others: 20,
  /** In total. */
  total: 300,
} as const;
const minuteMs = 60_000;
/** Interval between two writes, in milliseconds. */
const defaultFlushMs = 1_000;

/**
 * Records rejected deliveries for diagnosis. It writes them later and apart from accepted ones, and their number is
 * bounded, because any unauthenticated caller can send them. No request waits for it or fails with it.
 */
export class RejectedDeliveries {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #repeating: Repeating;
  #waiting: NewDelivery[] = [];
  #rejectedThisMinute = new Set<ConnectionId>();
  /** Times of the first rejections of connections in a minute that are not written yet. */
  #unwritten = new Map<ConnectionId, number>();
  #minute = 0;
  #kept = 0;
  #countPerConnection = new Map<ConnectionId | 'others', number>();
  #skipped = 0;

  constructor(database: Database, log: Logger, flushMs = defaultFlushMs) {
    this.#database = database;
    this.#log = log;
    const failed = (error: unknown): void => log.warn({ err: error }, 'recording rejected deliveries failed');
    this.#repeating = repeatEvery(flushMs, () => this.#flush(), failed);
  }

  /**
   * Records a rejection. `claimed`: connections of the account that it names. `delivery` is called only if it is
   * recorded.
   */
  record(claimed: readonly ConnectionId[], receivedAt: number, delivery: () => NewDelivery): void {
    this.#beginMinute(receivedAt);
    for (const connectionId of claimed) {
      if (this.#rejectedThisMinute.has(connectionId)) continue;
      this.#rejectedThisMinute.add(connectionId);
      this.#unwritten.set(connectionId, receivedAt);
    }
    if (this.#tryCount(claimed)) this.#waiting.push(delivery());
    else this.#skipped += 1;
  }

  /**
   * Returns whether a delivery may be recorded, and counts it. The map has an entry only for recorded ones, so it is
   * bounded.
   */
  #tryCount(claimed: readonly ConnectionId[]): boolean {
    if (this.#kept >= maxPerMinute.total) return false;
    const of = claimed.length === 0 ? (['others'] as const) : claimed;
    const max = claimed.length === 0 ? maxPerMinute.others : maxPerMinute.connection;
    if (of.every((one) => (this.#countPerConnection.get(one) ?? 0) >= max)) return false;
    for (const one of of) this.#countPerConnection.set(one, (this.#countPerConnection.get(one) ?? 0) + 1);
    this.#kept += 1;
    return true;
  }

  async close(): Promise<void> {
    await this.#repeating.stop();
    await this.#flush().catch((error: unknown) => {
      this.#log.warn({ err: error }, 'recording rejected deliveries failed');
    });
  }

  #beginMinute(now: number): void {
    const minute = Math.floor(now / minuteMs);
    if (minute === this.#minute) return;
    if (this.#skipped > 0) {
      this.#log.warn({ deliveries: this.#skipped }, 'too many rejected deliveries; some were not recorded');
    }
    this.#minute = minute;
    this.#kept = 0;
    this.#countPerConnection = new Map();
    this.#rejectedThisMinute = new Set();
    this.#skipped = 0;
  }

  async #flush(): Promise<void> {
    const deliveries = this.#waiting.splice(0);
    const touches = [...this.#unwritten].toSorted(([a], [b]) => compareText(a, b));
    this.#unwritten = new Map();
    if (deliveries.length === 0 && touches.length === 0) return;
    await this.#database.transaction(async (tx) => {
      if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
      for (const [connectionId, at] of touches) {
        await touchConnection(tx, 'last_rejected_at', connectionId, at);
      }
    });
  }
}
