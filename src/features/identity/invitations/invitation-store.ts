import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { InvitationId, OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/wire/page.ts';
import type { Role } from '../access/principal.ts';
import { hashToken } from '../secret-token.ts';
import type { InvitationRow } from '../tables.ts';
import type { Invitation, InvitationState } from './invitation.ts';

/** Lists the open invitations of the organization, oldest first. @throws InvalidInput for an invalid limit or cursor */
export async function listInvitations(
  queries: Queries,
  scope: OrgScope,
  request: PageRequest = {},
  now: number = Date.now(),
): Promise<Page<Invitation>> {
  const { limit, after } = startAfter(request);
  let query = openInvitations(queries, scope, now)
    .selectAll()
    .orderBy('id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('id', '>', after);
  return pageOf((await query.execute()).map(toInvitation), limit);
}

export async function countOpenInvitations(queries: Queries, scope: OrgScope, now: number): Promise<number> {
  const { count } = await openInvitations(queries, scope, now)
    .select((e) => e.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertInvitation(tx: Queries, row: InvitationRow): Promise<void> {
  await tx.insertInto('invitations').values(row).execute();
}

/** Revokes open invitations of the organization: the one with the id, or all for the e-mail address. Returns them. */
export async function endInvitations(
  tx: Queries,
  scope: OrgScope,
  filter: { readonly id: InvitationId } | { readonly email: string },
  now: number,
): Promise<readonly Invitation[]> {
  const update = tx
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('organization_id', '=', scope.organizationId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now);
  const filtered =
    'id' in filter ? update.where('id', '=', filter.id) : update.where('email', '=', filter.email);
  return (await filtered.returningAll().execute()).map(toInvitation);
}

/** Returns the state of an invitation without consuming it. */
export async function inspectInvitation(
  queries: Queries,
  token: string,
  clock: Clock,
): Promise<InvitationState> {
  const row = await queries
    .selectFrom('invitations as i')
    .innerJoin('organizations as o', 'o.id', 'i.organization_id')
    .leftJoin('users as u', 'u.email', 'i.email')
    .select(['i.email', 'i.role', 'i.expires_at', 'i.accepted_at', 'i.revoked_at'])
    .select(['o.name as organization', 'u.id as user_id'])
    .where('i.hash', '=', hashToken(token))
    .executeTakeFirst();
  if (row === undefined) return { state: 'unknown' };
  if (row.accepted_at !== null) return { state: 'used' };
  if (row.revoked_at !== null || row.expires_at <= clock()) return { state: 'expired' };
  const { email, role, organization } = row;
  return { state: 'valid', email, role, organization, known: row.user_id !== null };
}

/** An accepted invitation. */
export interface ConsumedInvitation {
  readonly id: InvitationId;
  readonly organizationId: OrganizationId;
  readonly email: string;
  readonly role: Role;
  /** `undefined` if the host operator sent it. */
  readonly invitedBy: UserId | undefined;
}

/** Consumes an invitation; `undefined` if it is not valid. A single statement, so that it works only once. */
export async function consumeInvitation(
  tx: Queries,
  token: string,
  now: number,
): Promise<ConsumedInvitation | undefined> {
  const row = await tx
    .updateTable('invitations')
    .set({ accepted_at: now })
    .where('hash', '=', hashToken(token))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  return (
    row && {
      id: row.id as InvitationId,
      organizationId: row.organization_id as OrganizationId,
      email: row.email,
      role: row.role,
      invitedBy: (row.invited_by ?? undefined) as UserId | undefined,
    }
  );
}

function openInvitations(queries: Queries, scope: OrgScope, now: number) {
  return queries
    .selectFrom('invitations')
    .where('organization_id', '=', scope.organizationId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now);
}

export function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id as InvitationId,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
