import { type AuthenticateDeps, authenticate, requireScope } from './authenticate.ts';
import { enterOrganization } from './enter-organization.ts';
import type { Access, Scope } from './principal.ts';

export interface CallerRequest {
  /** The unmodified Authorization header. */
  readonly authorization: string | undefined;
  readonly orgSlug: string | undefined;
  /** The scope that the surface requires. */
  readonly scope: Scope;
}

/**
 * Admits a caller on every surface. Checks in the order of contract section 4: credential (401), scope (403),
 * organization (400 or 403). An API key with access to the organization takes one query. Without access it takes two,
 * for a foreign organization and an unknown one alike.
 */
export async function admitCaller(deps: AuthenticateDeps, request: CallerRequest): Promise<Access> {
  const caller = await authenticate(deps, request.authorization, request.orgSlug);
  requireScope(caller.principal, request.scope);
  return enterOrganization(deps, caller, request.orgSlug);
}
