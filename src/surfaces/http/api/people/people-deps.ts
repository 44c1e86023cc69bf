import type { Database } from '../../../../foundation/db/database.ts';
import type { Clock } from '../../../../foundation/kernel/clock.ts';

/** The dependencies of the routes for people, keys, grants and the audit log. */
export interface PeopleDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Origin of page links. */
  readonly appUrl: string;
}
