import { type AuthenticateDeps, authenticate, requireScope } from './authenticate.ts';
import { enterOrganization } from './enter-organization.ts';
import type { Access, Scope } from './principal.ts';

export interface CallerRequest {
  /** The header as it came. */
  readonly authorization: string | undefined;
  readonly orgSlug: string | undefined;
  /** What the surface needs. */
  readonly scope: Scope;
}

/**
 * The one check of every surface, in the order of contract section 4: credential (401), scope (403), organization
 * (400 or 403). A key that opens the organization costs one look; one that does not costs one more, the same
 * for a foreign organization and an unknown one.
 */
export async function admitCaller(deps: AuthenticateDeps, request: CallerRequest): Promise<Access> {
  const caller = await authenticate(deps, request.authorization, request.orgSlug);
  requireScope(caller.principal, request.scope);
  return enterOrganization(deps, caller, request.orgSlug);
}
