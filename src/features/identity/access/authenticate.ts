import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { Forbidden, Unauthenticated } from '../../../foundation/kernel/errors.ts';
import { findKeyHolder, type KeyHolder, touchApiKey } from '../api-keys/api-key-store.ts';
import { apiKeyPrefix } from '../api-keys/create-api-key.ts';
import type { Membership } from '../people/membership-store.ts';
import { isOrgSlug } from '../people/organization.ts';
import { hashToken } from '../secret-token.ts';
import { bearerToken } from './bearer-token.ts';
import type { Principal, Scope } from './principal.ts';

export interface AuthenticateDeps {
  readonly queries: Queries;
  readonly clock: Clock;
  /** Verifies access tokens. Default: none, only API keys are accepted. */
  readonly verifyAccessToken?: VerifyAccessToken | undefined;
}

/** An authenticated caller whose access to the requested organization is not checked yet. */
export interface Caller {
  readonly principal: Principal;
  /**
   * The membership that the same query found: for an API key in the requested organization, for a grant in its own.
   * If it is `undefined`, a separate query looks it up.
   */
  readonly membership: Membership | undefined;
}

/**
 * Verifies an OAuth access token and returns its caller; `undefined` for an invalid token. Supplied by `app`.
 */
export type VerifyAccessToken = (token: string) => Promise<Caller | undefined>;

const everyScope: ReadonlySet<Scope> = new Set<Scope>(['mcp', 'api']);

/**
 * Authenticates the sender of an Authorization header, for the organization named by `orgSlug`. Not cached, so that
 * revoking a key or disabling a user takes effect with the next request.
 * @throws Unauthenticated with the same message for every invalid token, whatever the reason
 */
export async function authenticate(
  deps: AuthenticateDeps,
  authorization: string | undefined,
  orgSlug: string | undefined,
): Promise<Caller> {
  const token = bearerToken(authorization);
  const caller = token.startsWith(apiKeyPrefix)
    ? await callerOfKey(deps, token, orgSlug)
    : await deps.verifyAccessToken?.(token);
  if (caller === undefined) {
    throw new Unauthenticated(
      'invalid_token',
      'The token is not valid: it may be mistyped, expired or revoked. Sign in again or use another API key.',
    );
  }
  return caller;
}

/**
 * Requires a scope.
 * @throws Forbidden `insufficient_scope` with the required scopes for the challenge (RFC 6750 section 3.1)
 */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.has(scope)) return;
  throw new Forbidden(
    'insufficient_scope',
    `The token lacks the scope "${scope}": authorize the client again and ask for it, or use an API key.`,
    { requiredScopes: [scope] },
  );
}

async function callerOfKey(
  deps: AuthenticateDeps,
  apiKey: string,
  orgSlug: string | undefined,
): Promise<Caller | undefined> {
  const now = deps.clock();
  // Only valid slugs reach the database, because some databases reject other characters.
  const slug = orgSlug !== undefined && isOrgSlug(orgSlug) ? orgSlug : undefined;
  const holder = await findKeyHolder(deps.queries, hashToken(apiKey), slug);
  if (holder === undefined || !isValid(holder, now)) return undefined;
  // Best effort: the response neither waits for this write nor fails with it.
  void touchApiKey(deps.queries, holder, now).catch(() => undefined);
  return {
    principal: {
      userId: holder.userId,
      email: holder.email,
      credential: {
        kind: 'api-key',
        apiKeyId: holder.apiKeyId,
        organizationId: holder.organizationId,
        ...(holder.repositories === undefined ? {} : { repositories: holder.repositories }),
      },
      scopes: everyScope,
    },
    membership: holder.membership,
  };
}

function isValid(holder: KeyHolder, now: number): boolean {
  const expired = holder.expiresAt !== undefined && holder.expiresAt <= now;
  return !holder.revoked && !holder.userDisabled && !expired;
}
