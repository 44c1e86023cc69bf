import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { version } from '../../config/version.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { later, queueNow } from '../queue-time.ts';

/** Interval between two heartbeats of a worker, in milliseconds. */
export const presenceMs = 10_000;

/** Retention of the rows of killed workers, in milliseconds: long enough to see when the last one ran. */
const retentionMs = 24 * 3_600_000;

/** The row of one worker in the database, by which other processes see that it runs. */
export class WorkerPresence {
  readonly #id = randomUUID();
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Adds the row, and purges those of workers that were killed long ago. */
  async enter(): Promise<void> {
    const { queries, dialect } = this.#database;
    const now = queueNow(dialect, this.#clock);
    await queries.deleteFrom('workers').where('seen_at', '<', later(now, -retentionMs)).execute();
    await this.beat();
  }

  /** Records that the worker runs. Adds the row again if it was purged while the process was suspended. */
  async beat(): Promise<void> {
    const now = queueNow(this.#database.dialect, this.#clock);
    const row = { id: this.#id, host: hostname(), pid: process.pid, version };
    await this.#database.queries
      .insertInto('workers')
      .values({ ...row, started_at: now, seen_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
      .execute();
  }

  async leave(): Promise<void> {
    await this.#database.queries.deleteFrom('workers').where('id', '=', this.#id).execute();
  }
}
