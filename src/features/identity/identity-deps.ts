import type { Database, Queries } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { OrganizationId, UserId } from '../../foundation/kernel/ids.ts';

/** The dependencies of the use cases of users and sign-ins. */
export interface IdentityDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Revokes a user's OAuth grants, in one organization or all, and returns the revoked grants. Implemented by the feature
 * `oauth`, which this feature must not import.
 */
export type RevokeGrants = (
  tx: Queries,
  of: { readonly userId: UserId; readonly organizationId?: OrganizationId },
  now: number,
) => Promise<readonly unknown[]>;

/**
 * Returns the name of the client of an OAuth grant and the expiry of the grant; `undefined` if the grant was deleted.
 * Implemented by the feature `oauth`.
 */
export type DescribeGrant = (
  queries: Queries,
  grantId: string,
) => Promise<{ readonly clientName: string; readonly expiresAt: number } | undefined>;
