import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden, InvalidInput } from '../../../foundation/kernel/errors.ts';
import { findMembership, type Membership, type MembershipFilter } from '../people/membership-store.ts';
import { isOrgSlug } from '../people/organization.ts';
import type { Caller } from './authenticate.ts';
import type { Access, Principal, Role } from './principal.ts';

const rank: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 };

/**
 * Returns the caller's access to the organization that the request names (`orgSlug`) or that the grant is bound to.
 * Never cached, so that the removal of a member takes effect with the next request.
 * @throws InvalidInput `org_slug_required` for an API key without a slug
 * @throws Forbidden `grant_unbound`; or `forbidden`, the same for an unknown organization and a foreign one
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
  const scope = { ...membership.scope, callerId: principal.userId };
  return limitedAccess({ principal, ...membership, scope });
}

/** Limits the access with a key to the repositories of the key, whatever the role of its user. */
function limitedAccess(access: Access): Access {
  const { credential } = access.principal;
  if (credential.kind !== 'api-key' || credential.repositories === undefined) return access;
  return { ...access, role: 'member', scope: { ...access.scope, repositories: credential.repositories } };
}

/** Requires access to the whole organization. @throws Forbidden for a key that is limited to repositories */
export function requireWholeOrganization({ scope }: Access): void {
  if (scope.repositories === undefined) return;
  throw new Forbidden(
    'forbidden',
    'This API key only reads its repositories: search, files, the graph and questions. Use a key without a limit.',
  );
}

function isWanted({ scope }: Membership, { slug, organizationId }: MembershipFilter): boolean {
  return (
    (slug ?? scope.orgSlug) === scope.orgSlug &&
    (organizationId ?? scope.organizationId) === scope.organizationId
  );
}

/** Returns whether the caller has at least the role `role` (contract, section 3: owner, admin, member). */
export function hasRole(access: Pick<Access, 'role'>, role: Role): boolean {
  return rank[access.role] >= rank[role];
}

/** Requires at least the role `role`. @throws Forbidden */
export function requireRole(access: Access, role: Role): void {
  if (hasRole(access, role)) return;
  throw new Forbidden(
    'forbidden',
    `This needs the role "${role}" in the organization; yours is "${access.role}". Ask an owner to change it.`,
  );
}

function wantedOrganization({ credential }: Principal, slug: string | undefined): MembershipFilter {
  const { kind, organizationId } = credential;
  if (kind === 'oauth' && organizationId === undefined) throw grantUnbound();
  // An invalid slug is not looked up: it cannot exist, and some databases reject unusual characters.
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
      'add ?orgSlug=<organization slug> to the URL of /mcp or /api/v1/me; every other REST path begins with the slug.',
    { code: 'org_slug_required' },
  );
}

/** Creates the error for an organization that is unknown or that the caller is not a member of. */
export function noAccess(): Forbidden {
  return new Forbidden(
    'forbidden',
    'There is no such organization, or you are not a member of it. Check its slug, or ask one of its admins to add you.',
  );
}
