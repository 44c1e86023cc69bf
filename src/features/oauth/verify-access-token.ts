import { type JWTPayload, jwtVerify } from 'jose';
import type { Queries } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { UserId } from '../../foundation/kernel/ids.ts';
import type { Caller, VerifyAccessToken } from '../identity/access/authenticate.ts';
import type { Principal, Scope } from '../identity/access/principal.ts';
import { findUserById } from '../identity/people/user-store.ts';
import { resourcesOf } from './endpoints.ts';
import { firstPartyClientId } from './first-party-client.ts';
import { findGrantAccess, touchGrant } from './grants/find-grant-access.ts';
import type { KeySet } from './keys/key-set.ts';

export interface VerifyDeps {
  readonly queries: Queries;
  readonly clock: Clock;
  readonly baseUrl: string;
  /** Returns the key set. @param kid a key id that the last returned set did not contain */
  keySet(kid?: string): KeySet | Promise<KeySet>;
}

/** Tolerated clock difference, in seconds. */
const clockTolerance = 5;

interface OwnClaims {
  readonly sub: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly grantId: string | undefined;
  readonly organizationId: string | undefined;
}

/**
 * Creates the verifier of this service's access tokens (RFC 9068 section 4). It checks signature, type, issuer, both
 * audiences and times with loaded keys. One query then reads the grant, so that the revocation of the grant, disabling
 * of the user and removal of the member take effect immediately.
 */
export function accessTokenVerifier(deps: VerifyDeps): VerifyAccessToken {
  return async (token) => {
    const claims = await readClaims(deps, token);
    if (claims === undefined) return undefined;
    return claims.grantId === undefined
      ? callerWithoutGrant(deps.queries, claims)
      : callerOfGrant(deps, claims, claims.grantId);
  };
}

async function readClaims(deps: VerifyDeps, token: string): Promise<OwnClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verificationKey(deps, kid), {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer: deps.baseUrl,
      requiredClaims: ['exp', 'iat', 'sub', 'aud', 'client_id', 'scope'],
      clockTolerance,
      currentDate: new Date(deps.clock()),
    });
    return isForBoth(payload, deps.baseUrl) ? ownClaims(payload) : undefined;
  } catch (error) {
    // An error from the JOSE library means that the token is invalid. Any other error, such as one of the database,
    // does not.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J')) return undefined;
    throw error;
  }
}

async function verificationKey(deps: VerifyDeps, kid: string | undefined) {
  const known = (await deps.keySet()).verificationKey(kid ?? '');
  const key = known ?? (await deps.keySet(kid)).verificationKey(kid ?? '');
  if (key === undefined) throw new UnknownKey();
  return key;
}

class UnknownKey extends Error {
  readonly code = 'ERR_JWKS_NO_MATCHING_KEY';
}

/** Returns whether the token is for both resources, as every token of this service is. */
function isForBoth({ aud }: JWTPayload, baseUrl: string): boolean {
  const { rest, mcp } = resourcesOf(baseUrl);
  return Array.isArray(aud) && aud.length === 2 && aud.includes(rest) && aud.includes(mcp);
}

function ownClaims(payload: JWTPayload): OwnClaims | undefined {
  const { sub, client_id: clientId, scope, gid, org } = payload as Record<string, unknown>;
  if (typeof sub !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string') return undefined;
  const tokenScopes = scope.split(' ');
  return {
    sub,
    clientId,
    scopes: new Set((['mcp', 'api'] as const).filter((known) => tokenScopes.includes(known))),
    grantId: typeof gid === 'string' ? gid : undefined,
    organizationId: typeof org === 'string' ? org : undefined,
  };
}

async function callerOfGrant(
  { queries, clock }: VerifyDeps,
  claims: OwnClaims,
  grantId: string,
): Promise<Caller | undefined> {
  const now = clock();
  const grant = await findGrantAccess(queries, grantId);
  if (grant === undefined || grant.revoked || grant.expiresAt <= now || grant.userDisabled) return undefined;
  if (grant.userId !== claims.sub || grant.clientId !== claims.clientId) return undefined;
  const otherOrganization =
    grant.organizationId !== undefined && grant.organizationId !== claims.organizationId;
  if (otherOrganization) return undefined;
  // Best effort: the response neither waits for this write nor fails with it.
  void touchGrant(queries, grant, now).catch(() => undefined);
  const { userId, email, organizationId } = grant;
  const firstParty = grant.clientId === firstPartyClientId;
  const credential = { kind: 'oauth', grantId, organizationId, firstParty } as const;
  return { principal: { userId, email, credential, scopes: claims.scopes }, membership: grant.membership };
}

/**
 * Returns the caller of a valid token without a grant. It is treated as unbound: the request is refused with that
 * reason.
 */
async function callerWithoutGrant(queries: Queries, claims: OwnClaims): Promise<Caller | undefined> {
  const user = await findUserById(queries, claims.sub as UserId);
  if (user === undefined || user.disabled) return undefined;
  const principal: Principal = {
    userId: user.id,
    email: user.email,
    credential: { kind: 'oauth', grantId: '', organizationId: undefined, firstParty: false },
    scopes: claims.scopes,
  };
  return { principal, membership: undefined };
}
