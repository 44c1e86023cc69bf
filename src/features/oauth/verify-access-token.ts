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
  /** @param kid one that the last set did not have */
  keySet(kid?: string): KeySet | Promise<KeySet>;
}

/** Seconds that clocks may differ by. */
const clockTolerance = 5;

interface OwnClaims {
  readonly sub: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly grantId: string | undefined;
  readonly organizationId: string | undefined;
}

/**
 * Checks an access token of ours (RFC 9068 section 4): signature, type, issuer, both audiences and time, by keys at
 * hand; then one look at its grant, so that a revoked one, a disabled user or a removed member is out at once.
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
    // Whatever is wrong with a token, it is not ours; what is wrong with the database is no fault of the token.
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

/** A token for one of the two alone was not made by us. */
function isForBoth({ aud }: JWTPayload, baseUrl: string): boolean {
  const { rest, mcp } = resourcesOf(baseUrl);
  return Array.isArray(aud) && aud.length === 2 && aud.includes(rest) && aud.includes(mcp);
}

function ownClaims(payload: JWTPayload): OwnClaims | undefined {
  const { sub, client_id: clientId, scope, gid, org } = payload as Record<string, unknown>;
  if (typeof sub !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string') return undefined;
  const asked = scope.split(' ');
  return {
    sub,
    clientId,
    scopes: new Set((['mcp', 'api'] as const).filter((known) => asked.includes(known))),
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
  const moved = grant.organizationId !== undefined && grant.organizationId !== claims.organizationId;
  if (moved) return undefined;
  // Bookkeeping: the answer neither waits for it nor fails with it.
  void touchGrant(queries, grant, now).catch(() => undefined);
  const { userId, email, organizationId } = grant;
  const firstParty = grant.clientId === firstPartyClientId;
  const credential = { kind: 'oauth', grantId, organizationId, firstParty } as const;
  return { principal: { userId, email, credential, scopes: claims.scopes }, membership: grant.membership };
}

/** A token of ours that no grant stands behind is unbound: it is told so, and lets nobody in. */
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
