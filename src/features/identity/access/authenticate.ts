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
  /** Without it only API keys count. */
  readonly verifyAccessToken?: VerifyAccessToken | undefined;
}

/** Who calls, before it is clear whether they may enter the organization that the request names. */
export interface Caller {
  readonly principal: Principal;
  /**
   * Found in the same look: of an API key's user in the named organization, of a grant's in its own. Asked for
   * separately otherwise.
   */
  readonly membership: Membership | undefined;
}

/**
 * Verifies an OAuth access token and gives its caller; `undefined` for a token that does not count. Supplied by `app`.
 */
export type VerifyAccessToken = (token: string) => Promise<Caller | undefined>;

const everyScope: ReadonlySet<Scope> = new Set<Scope>(['mcp', 'api']);

/**
 * Who sent this Authorization header, with a view to the organization named by `orgSlug`. Asked anew on every
 * request: a revoked key or a disabled user ends with the next call.
 * @throws Unauthenticated, the same for every token that does not count, whatever the reason.
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

/** @throws Forbidden `insufficient_scope`, with the scopes the call needs for the challenge (RFC 6750 section 3.1). */
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
  // What no slug can be reaches no database: some refuse such characters.
  const slug = orgSlug !== undefined && isOrgSlug(orgSlug) ? orgSlug : undefined;
  const holder = await findKeyHolder(deps.queries, hashToken(apiKey), slug);
  if (holder === undefined || !counts(holder, now)) return undefined;
  // Bookkeeping: the answer neither waits for it nor fails with it.
  void touchApiKey(deps.queries, holder, now).catch(() => undefined);
  return {
    principal: {
      userId: holder.userId,
      email: holder.email,
      credential: { kind: 'api-key', apiKeyId: holder.apiKeyId, organizationId: holder.organizationId },
      scopes: everyScope,
    },
    membership: holder.membership,
  };
}

function counts(holder: KeyHolder, now: number): boolean {
  const expired = holder.expiresAt !== undefined && holder.expiresAt <= now;
  return !holder.revoked && !holder.userDisabled && !expired;
}
