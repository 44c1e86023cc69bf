import type { Queries } from '../../../foundation/db/database.ts';
import type { OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';

/** An account that somebody made before. Addresses are not verified here, so it need not be their owner's. */
export interface ExistingAccount {
  /** When it was made, milliseconds since the epoch. */
  readonly since: number;
  readonly hasPassword: boolean;
  /** How many organizations it is a member of beside the given one. */
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
