import type { Database, Queries } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { OrganizationId, UserId } from '../../foundation/kernel/ids.ts';

/** What the use cases of people and their sign-ins work with. */
export interface IdentityDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Ends what a user let clients do, in one organization or everywhere, and gives what was ended: of the feature `oauth`,
 * which this one may not import.
 */
export type RevokeGrants = (
  tx: Queries,
  of: { readonly userId: UserId; readonly organizationId?: OrganizationId },
  now: number,
) => Promise<readonly unknown[]>;
