import type { Queries } from '../../../foundation/db/database.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { DataScope, OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/wire/page.ts';
import type { Role } from '../access/principal.ts';

/** A member of an organization. */
export interface Member {
  readonly userId: UserId;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** True if the host operator disabled the user in every organization. */
  readonly disabled: boolean;
  /** Start of the membership, in milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Lists members in the order of account creation. @throws InvalidInput for an invalid limit or cursor */
export async function listMembers(
  queries: Queries,
  scope: OrgScope,
  request: PageRequest = {},
): Promise<Page<Member>> {
  const { limit, after } = startAfter(request);
  let query = membersOf(queries, scope)
    .orderBy('m.user_id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('m.user_id', '>', after);
  const rows = await query.execute();
  const { items, nextCursor } = pageOf(rows, limit);
  return { items: items.map(toMember), nextCursor };
}

export async function findMember(
  queries: Queries,
  scope: DataScope,
  filter: { readonly userId: UserId } | { readonly email: string },
): Promise<Member | undefined> {
  const query = membersOf(queries, scope);
  const row = await ('userId' in filter
    ? query.where('m.user_id', '=', filter.userId)
    : query.where('u.email', '=', filter.email)
  ).executeTakeFirst();
  return row && toMember(row);
}

function membersOf(queries: Queries, scope: DataScope) {
  return queries
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.organization_id', '=', scope.organizationId)
    .select(['m.user_id as id', 'u.email', 'u.name', 'm.role', 'u.disabled_at', 'm.created_at']);
}

function toMember(row: {
  id: string;
  email: string;
  name: string;
  role: Role;
  disabled_at: number | null;
  created_at: number;
}): Member {
  const { id, email, name, role } = row;
  return {
    userId: id as UserId,
    email,
    name,
    role,
    disabled: row.disabled_at !== null,
    createdAt: row.created_at,
  };
}
