import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Role } from '../access/principal.ts';

/** Selects the organization of a membership. Every defined field must match. */
export interface MembershipFilter {
  readonly slug: string | undefined;
  readonly organizationId: OrganizationId | undefined;
}

export interface Membership {
  readonly scope: OrgScope;
  readonly role: Role;
}

/** Finds the membership of an enabled user, for callers whose membership was not found with the credential. */
export async function findMembership(
  queries: Queries,
  userId: UserId,
  filter: MembershipFilter,
): Promise<Membership | undefined> {
  let query = queries
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.user_id', '=', userId)
    .where('u.disabled_at', 'is', null);
  if (filter.slug !== undefined) query = query.where('o.slug', '=', filter.slug);
  if (filter.organizationId !== undefined) query = query.where('o.id', '=', filter.organizationId);
  const row = await query.select(['o.id', 'o.slug', 'm.role']).executeTakeFirst();
  return row && { scope: { organizationId: row.id as OrganizationId, orgSlug: row.slug }, role: row.role };
}

/** An organization of a user, with the user's role. */
export interface UserOrganization {
  readonly organizationId: OrganizationId;
  readonly slug: string;
  readonly name: string;
  readonly role: Role;
}

/** Lists the organizations of a user, sorted by name. */
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
 * Adds a member with that role, or changes the role. Call it in a transaction.
 * @throws Conflict if it would leave the organization without an owner
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
 * Ends a membership. Returns false if there was none. Call it in a transaction.
 * @throws Conflict if it would leave the organization without an owner
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

/** Refuses to remove the last owner (contract, section 3). A disabled owner cannot act and does not count. */
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
      'An organization must keep at least one owner: make someone else an owner first.',
    );
  }
}

/**
 * Locks an organization until the transaction ends, so that what was read of its members, names or counts stays true.
 * An UPDATE takes the row lock on both dialects. Others may still insert rows that refer to the organization.
 */
export async function lockOrganization(tx: Queries, id: OrganizationId): Promise<void> {
  await tx
    .updateTable('organizations')
    .set((e) => ({ name: e.ref('name') }))
    .where('id', '=', id)
    .execute();
}
