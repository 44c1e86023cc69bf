import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Role } from '../access/principal.ts';

/** Which organization a membership is looked for in; what is given must match. */
export interface MembershipOf {
  readonly slug: string | undefined;
  readonly organizationId: OrganizationId | undefined;
}

export interface Membership {
  readonly scope: OrgScope;
  readonly role: Role;
}

/** The membership of an enabled user, for callers whose credential did not bring it along. */
export async function findMembership(
  queries: Queries,
  userId: UserId,
  wanted: MembershipOf,
): Promise<Membership | undefined> {
  let query = queries
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.user_id', '=', userId)
    .where('u.disabled_at', 'is', null);
  if (wanted.slug !== undefined) query = query.where('o.slug', '=', wanted.slug);
  if (wanted.organizationId !== undefined) query = query.where('o.id', '=', wanted.organizationId);
  const row = await query.select(['o.id', 'o.slug', 'm.role']).executeTakeFirst();
  return row && { scope: { organizationId: row.id as OrganizationId, orgSlug: row.slug }, role: row.role };
}

/** An organization that a user belongs to. */
export interface UserOrganization {
  readonly organizationId: OrganizationId;
  readonly slug: string;
  readonly name: string;
  readonly role: Role;
}

/** Where a user belongs, by name. */
export async function userOrganizations(
  queries: Queries,
  userId: UserId,
): Promise<readonly UserOrganization[]> {
  const rows = await queries
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .where('m.user_id', '=', userId)
    .select(['o.id', 'o.slug', 'o.name', 'm.role'])
    .orderBy('o.name')
    .orderBy('o.slug')
    .execute();
  return rows.map(({ id, ...row }) => ({ organizationId: id as OrganizationId, ...row }));
}

/**
 * Makes the user a member with that role, or changes the role. Run it in a transaction.
 * @throws Conflict when it would leave the organization without an owner.
 */
export async function putMembership(
  tx: Queries,
  member: { readonly organizationId: OrganizationId; readonly userId: UserId; readonly role: Role },
  now: number,
): Promise<void> {
  if (member.role !== 'owner') await requireAnotherOwner(tx, member);
  await tx
    .insertInto('memberships')
    .values({
      organization_id: member.organizationId,
      user_id: member.userId,
      role: member.role,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role: member.role }),
    )
    .execute();
}

/**
 * Ends a membership; false when there was none. Run it in a transaction.
 * @throws Conflict when it would leave the organization without an owner.
 */
export async function removeMembership(
  tx: Queries,
  member: { readonly organizationId: OrganizationId; readonly userId: UserId },
): Promise<boolean> {
  await requireAnotherOwner(tx, member);
  const result = await tx
    .deleteFrom('memberships')
    .where('organization_id', '=', member.organizationId)
    .where('user_id', '=', member.userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The last owner stays (contract, section 3). An owner who is disabled cannot act, so does not count as another. */
async function requireAnotherOwner(
  tx: Queries,
  member: { readonly organizationId: OrganizationId; readonly userId: UserId },
): Promise<void> {
  await lockOrganization(tx, member.organizationId);
  const owners = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('memberships.organization_id', '=', member.organizationId)
    .where('memberships.role', '=', 'owner')
    .select(['users.id', 'users.disabled_at'])
    .execute();
  const isOwner = owners.some((owner) => owner.id === member.userId);
  const others = owners.filter((owner) => owner.id !== member.userId && owner.disabled_at === null);
  if (isOwner && others.length === 0) {
    throw new Conflict(
      'conflict',
      'The last owner of an organization stays: make someone else an owner first.',
    );
  }
}

/** Two owners who leave at the same time must see each other: an UPDATE takes the row lock on both dialects. */
export async function lockOrganization(tx: Queries, id: OrganizationId): Promise<void> {
  await tx
    .updateTable('organizations')
    .set((e) => ({ name: e.ref('name') }))
    .where('id', '=', id)
    .execute();
}
