import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { sealAttempt } from './sealed-attempt.ts';
import type { UpstreamProvider } from './upstream-provider.ts';

export interface UpstreamDeps extends IdentityDeps {
  readonly provider: UpstreamProvider;
  /** With a purpose of its own (`orgctx/upstream/v1`). */
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
}

export interface UpstreamBegun {
  /** Where the browser goes on to. */
  readonly url: string;
  /** For a cookie of this browser alone; `finishUpstream` wants it back within 10 minutes. */
  readonly sealed: string;
}

/**
 * Sends a browser to the identity provider.
 * @param request.returnTo a path of ours, checked by the caller
 * @throws Unavailable when the provider cannot be reached
 */
export async function beginUpstream(
  { provider, sealer, clock }: UpstreamDeps,
  request: { readonly returnTo: string },
): Promise<UpstreamBegun> {
  const configuration = await provider.configuration();
  const attempt = {
    state: randomState(),
    nonce: randomNonce(),
    codeVerifier: randomPKCECodeVerifier(),
    returnTo: request.returnTo,
  };
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: provider.redirectUri,
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: 'S256',
  });
  return {
    url: url.href,
    sealed: sealAttempt(sealer, { ...attempt, issuer: provider.issuer }, clock()),
  };
}
