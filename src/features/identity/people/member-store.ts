import type { Queries } from '../../../foundation/db/database.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/page.ts';
import type { Role } from '../access/principal.ts';

/** A user in an organization. */
export interface Member {
  readonly userId: UserId;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Shut out by the host's operator, of every organization. */
  readonly disabled: boolean;
  /** When they became a member, milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Members in the order in which their accounts were made. @throws InvalidInput for a bad limit or cursor */
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
  scope: Pick<OrgScope, 'organizationId'>,
  who: { readonly userId: UserId } | { readonly email: string },
): Promise<Member | undefined> {
  const query = membersOf(queries, scope);
  const row = await ('userId' in who
    ? query.where('m.user_id', '=', who.userId)
    : query.where('u.email', '=', who.email)
  ).executeTakeFirst();
  return row && toMember(row);
}

function membersOf(queries: Queries, scope: Pick<OrgScope, 'organizationId'>) {
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
