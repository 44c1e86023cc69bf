import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';

/** What the routes of people, keys, grants and the audit log are built from. */
export interface PeopleDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Origin of page links. */
  readonly appUrl: string;
}
