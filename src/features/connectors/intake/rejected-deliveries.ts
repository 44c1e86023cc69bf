import type { Database } from '../../../foundation/db/database.ts';
import { type Repeating, repeatEvery } from '../../../foundation/jobs/worker/repeat.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { touchConnections } from '../connections/connection-store.ts';
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
const flushMs = 1_000;

/** The rejected deliveries of one minute. `rejected`: the connections that they name. */
function newMinute(number: number) {
  const counts = new Map<ConnectionId | 'others', number>();
  return { number, kept: 0, skipped: 0, counts, rejected: new Set<ConnectionId>() };
}

/**
 * Records rejected deliveries for diagnosis. It writes them later and apart from accepted ones, and their number is
 * bounded, because any unauthenticated caller can send them. No request waits for it or fails with it.
 */
export class RejectedDeliveries {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #repeating: Repeating;
  #waiting: NewDelivery[] = [];
  /** Times of the first rejections of connections in a minute that are not written yet. */
  #unwritten = new Map<ConnectionId, number>();
  #minute = newMinute(0);

  constructor(database: Database, log: Logger) {
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
      if (this.#minute.rejected.has(connectionId)) continue;
      this.#minute.rejected.add(connectionId);
      this.#unwritten.set(connectionId, receivedAt);
    }
    if (this.#tryCount(claimed)) this.#waiting.push(delivery());
    else this.#minute.skipped += 1;
  }

  /**
   * Returns whether a delivery may be recorded, and counts it. The map has an entry only for recorded ones, so it is
   * bounded.
   */
  #tryCount(claimed: readonly ConnectionId[]): boolean {
    const { kept, counts } = this.#minute;
    if (kept >= maxPerMinute.total) return false;
    const of = claimed.length === 0 ? (['others'] as const) : claimed;
    const max = claimed.length === 0 ? maxPerMinute.others : maxPerMinute.connection;
    if (of.every((one) => (counts.get(one) ?? 0) >= max)) return false;
    for (const one of of) counts.set(one, (counts.get(one) ?? 0) + 1);
    this.#minute.kept += 1;
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
    const { number, skipped } = this.#minute;
    if (minute === number) return;
    if (skipped > 0)
      this.#log.warn({ deliveries: skipped }, 'too many rejected deliveries; some were not recorded');
    this.#minute = newMinute(minute);
  }

  async #flush(): Promise<void> {
    const deliveries = this.#waiting.splice(0);
    const touched = this.#unwritten;
    this.#unwritten = new Map();
    if (deliveries.length === 0 && touched.size === 0) return;
    await this.#database.transaction(async (tx) => {
      if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
      await touchConnections(tx, 'last_rejected_at', touched);
    });
  }
}
