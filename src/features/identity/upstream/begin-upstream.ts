import type { Sealer } from '../../../foundation/secrets/sealer.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { sealAttempt } from './sealed-attempt.ts';
import type { UpstreamProvider } from './upstream-provider.ts';

export interface UpstreamDeps extends IdentityDeps {
  readonly provider: UpstreamProvider;
  /** A sealer with its own purpose (`orgctx/upstream/v1`). */
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
}

export interface UpstreamStart {
  /** The URL to redirect the browser to. */
  readonly url: string;
  /** The value of a cookie in this browser; `finishUpstream` must receive it within 10 minutes. */
  readonly sealed: string;
}

/**
 * Starts a sign-in at the identity provider.
 * @param request.returnTo a path of this service, validated by the caller
 * @throws Unavailable if the provider cannot be reached
 */
export async function beginUpstream(
  { provider, sealer, clock }: UpstreamDeps,
  request: { readonly returnTo: string },
): Promise<UpstreamStart> {
  const configuration = await provider.configuration();
  const openid = await import('openid-client');
  const attempt = {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    codeVerifier: openid.randomPKCECodeVerifier(),
    returnTo: request.returnTo,
  };
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: provider.redirectUri,
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: 'S256',
  });
  return {
    url: url.href,
    sealed: sealAttempt(sealer, { ...attempt, issuer: provider.issuer }, clock()),
  };
}
