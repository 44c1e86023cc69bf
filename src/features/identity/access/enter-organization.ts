import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden, InvalidInput } from '../../../foundation/kernel/errors.ts';
import { findMembership, type Membership, type MembershipOf } from '../people/membership-store.ts';
import { isOrgSlug } from '../people/organization.ts';
import type { Caller } from './authenticate.ts';
import type { Access, Principal, Role } from './principal.ts';

const rank: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 };

/**
 * Leads a caller into the organization that the request names (`orgSlug`), or that their grant is bound to. Never
 * cached: a removed member is out with the next call.
 * @throws InvalidInput `org_slug_required` for an API key without a slug.
 * @throws Forbidden `grant_unbound`; or `forbidden`, alike for an unknown organization and one of others.
 */
export async function enterOrganization(
  deps: { readonly queries: Queries },
  caller: Caller,
  orgSlug: string | undefined,
): Promise<Access> {
  const { principal } = caller;
  const wanted = wantedOrganization(principal, orgSlug === '' ? undefined : orgSlug);
  const known = caller.membership;
  const membership =
    known !== undefined && isWanted(known, wanted)
      ? known
      : await findMembership(deps.queries, principal.userId, wanted);
  if (membership === undefined) throw noAccess();
  return { principal, ...membership };
}

function isWanted({ scope }: Membership, { slug, organizationId }: MembershipOf): boolean {
  return (
    (slug ?? scope.orgSlug) === scope.orgSlug &&
    (organizationId ?? scope.organizationId) === scope.organizationId
  );
}

/** @throws Forbidden unless the caller's role is `role` or above it (contract, section 3: owner, admin, member). */
export function requireRole(access: Access, role: Role): void {
  if (rank[access.role] >= rank[role]) return;
  throw new Forbidden(
    'forbidden',
    `This needs the role "${role}" in the organization; yours is "${access.role}". Ask an owner to change it.`,
  );
}

function wantedOrganization({ credential }: Principal, slug: string | undefined): MembershipOf {
  const { kind, organizationId } = credential;
  if (kind === 'oauth' && organizationId === undefined) throw grantUnbound();
  // No organization has such a slug; asking would only show the database's opinion of odd characters.
  if (slug !== undefined && !isOrgSlug(slug)) throw noAccess();
  if (kind === 'api-key' && slug === undefined) throw slugRequired();
  return { slug, organizationId };
}

function grantUnbound(): Forbidden {
  return new Forbidden(
    'grant_unbound',
    'This sign-in is not bound to an organization: disconnect the client, connect it again and choose an organization.',
  );
}

function slugRequired(): InvalidInput {
  return new InvalidInput(
    'An API key works in every organization of its user, so the request must name one: ' +
      'add ?orgSlug=<organization slug> to the MCP URL, or begin the REST path with /<organization slug>/.',
    { code: 'org_slug_required' },
  );
}

/** Alike for an unknown organization and one of others. */
export function noAccess(): Forbidden {
  return new Forbidden(
    'forbidden',
    'There is no such organization, or you are not a member of it. Check its slug, or ask one of its admins to add you.',
  );
}
