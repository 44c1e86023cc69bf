import type { Queries } from '../../../foundation/db/database.ts';
import type { OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';

/**
 * An account that existed before. E-mail addresses are not verified, so it may not belong to the owner of the address.
 */
export interface ExistingAccount {
  /** Creation time, in milliseconds since the epoch. */
  readonly since: number;
  readonly hasPassword: boolean;
  /** Number of other organizations that the account is a member of. */
  readonly otherOrganizations: number;
}

export async function describeExistingAccount(
  queries: Queries,
  userId: UserId,
  organizationId: OrganizationId,
): Promise<ExistingAccount> {
  const row = await queries
    .selectFrom('users')
    .where('users.id', '=', userId)
    .select(['users.created_at', 'users.password_hash'])
    .select((e) =>
      e
        .selectFrom('memberships')
        .whereRef('memberships.user_id', '=', 'users.id')
        .where('memberships.organization_id', '<>', organizationId)
        .select((count) => count.fn.countAll().as('count'))
        .as('others'),
    )
    .executeTakeFirstOrThrow();
  return {
    since: row.created_at,
    hasPassword: row.password_hash !== null,
    otherOrganizations: Number(row.others),
  };
}
