import type { Queries } from '../../../foundation/db/database.ts';
import { preparedQuery } from '../../../foundation/db/prepared-query.ts';
import type { OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import type { Role } from '../../identity/access/principal.ts';
import type { Membership } from '../../identity/people/membership-store.ts';

/**
 * Precision of the last use, in milliseconds. Users only need it to find forgotten clients, and most requests then
 * write nothing.
 */
const lastUsePrecisionMs = 60_000;

/** A grant with its user and the user's membership in its organization. */
export interface GrantAccess {
  readonly grantId: string;
  readonly userId: UserId;
  readonly email: string;
  readonly userDisabled: boolean;
  readonly clientId: string;
  /** `undefined` for an unbound grant, whose organization was deleted. */
  readonly organizationId: OrganizationId | undefined;
  /** `undefined` if the user is no longer a member of the organization. */
  readonly membership: Membership | undefined;
  readonly revoked: boolean;
  readonly expiresAt: number;
  readonly lastUsedAt: number | undefined;
}

/** Uses look-ups by key inside one statement instead of joins; `api-key-store.ts` gives the reason. */
const grantById = preparedQuery(['id'], (queries, { id }) =>
  queries
    .selectFrom('oauth_grants as g')
    .where('g.id', '=', id)
    .select(['g.id', 'g.user_id', 'g.organization_id', 'g.client_id', 'g.revoked_at', 'g.expires_at'])
    .select('g.last_used_at')
    .select((e) => {
      const user = e.selectFrom('users as u').whereRef('u.id', '=', 'g.user_id');
      const organization = e.selectFrom('organizations as o').whereRef('o.id', '=', 'g.organization_id');
      const membership = e
        .selectFrom('memberships as m')
        .whereRef('m.organization_id', '=', 'g.organization_id')
        .whereRef('m.user_id', '=', 'g.user_id');
      return [
        user.select('u.email').as('email'),
        user.select('u.disabled_at').as('disabled_at'),
        organization.select('o.slug').as('slug'),
        membership.select('m.role').as('role'),
      ];
    }),
);

/**
 * Finds a grant with one query per request with an access token. Never cached, so that every change takes effect at
 * once.
 */
export async function findGrantAccess(queries: Queries, id: string): Promise<GrantAccess | undefined> {
  const [row] = await grantById(queries, { id });
  // A grant is deleted with its user (on delete cascade), so the user always exists.
  if (row === undefined || row.email === null) return undefined;
  const organizationId = (row.organization_id ?? undefined) as OrganizationId | undefined;
  return {
    grantId: row.id,
    userId: row.user_id as UserId,
    email: row.email,
    userDisabled: row.disabled_at !== null,
    clientId: row.client_id,
    organizationId,
    membership: membershipOf(organizationId, row),
    revoked: row.revoked_at !== null,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

function membershipOf(
  organizationId: OrganizationId | undefined,
  { slug, role }: { readonly slug: string | null; readonly role: Role | null },
): Membership | undefined {
  if (organizationId === undefined || slug === null || role === null) return undefined;
  return { scope: { organizationId, orgSlug: slug }, role };
}

/** Records the use of a grant, at most once a minute. */
export async function touchGrant(queries: Queries, grant: GrantAccess, now: number): Promise<void> {
  const stale = now - lastUsePrecisionMs;
  if (grant.lastUsedAt !== undefined && grant.lastUsedAt > stale) return;
  await queries
    .updateTable('oauth_grants')
    .set({ last_used_at: now })
    .where('id', '=', grant.grantId)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', stale)]))
    .execute();
}
