import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';

/** What the use cases of people and their sign-ins work with. */
export interface IdentityDeps {
  readonly database: Database;
  readonly clock: Clock;
}
