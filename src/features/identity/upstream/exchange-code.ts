import type * as OpenidClient from 'openid-client';
import { z } from 'zod';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { checkEmail } from '../people/user.ts';
import type { UpstreamAttempt } from './sealed-attempt.ts';
import type { UpstreamProvider } from './upstream-provider.ts';
import { UpstreamRefused, upstreamUnavailable } from './upstream-refused.ts';

/** The identity of a user as the provider states it. */
export interface UpstreamIdentity {
  readonly issuer: string;
  /** Id of the user, which the issuer never reassigns. */
  readonly subject: string;
  /** Verified by the provider; lower case. */
  readonly email: string;
}

/** The claims about the e-mail address. Some providers send the flag as text. */
const mailClaims = z.object({
  email: z.string(),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
});

/** The `sub` claim: at most 255 characters (OpenID Connect Core section 2). */
const subjectClaim = z.string().min(1).max(255);

/**
 * Exchanges the code of a callback for the user's identity. Verifies the state, and the issuer, nonce, audience, times
 * and signature of the ID token.
 * @throws InvalidInput, UpstreamRefused, Unavailable
 */
export async function exchangeCode(
  provider: UpstreamProvider,
  query: URLSearchParams,
  attempt: UpstreamAttempt,
): Promise<UpstreamIdentity> {
  const configuration = await provider.configuration();
  const openid = await import('openid-client');
  try {
    const url = new URL(provider.redirectUri);
    url.search = query.toString();
    const tokens = await openid.authorizationCodeGrant(configuration, url, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims() ?? {};
    const subject = subjectClaim.parse('sub' in claims ? claims.sub : undefined);
    const email = verifiedEmail(
      'email' in claims ? claims : await userInfo(openid, configuration, tokens, subject),
    );
    return { issuer: provider.issuer, subject, email };
  } catch (error) {
    throw errorOf(openid, error, provider);
  }
}

/** Requests the user info, for an ID token without an e-mail address. */
async function userInfo(
  { fetchUserInfo }: typeof OpenidClient,
  configuration: OpenidClient.Configuration,
  { access_token: token }: { readonly access_token: string },
  subject: string,
): Promise<unknown> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return fetchUserInfo(configuration, token, subject);
}

function verifiedEmail(claims: unknown): string {
  const mail = mailClaims.safeParse(claims).data;
  if (mail === undefined) {
    throw new UpstreamRefused(
      'The sign-in service did not send your e-mail address. Allow it to share the address with this service.',
    );
  }
  if (mail.email_verified !== true && mail.email_verified !== 'true') {
    throw new UpstreamRefused(
      'The sign-in service has not verified your e-mail address: verify it there, then sign in again.',
    );
  }
  return checkEmail(mail.email);
}

function errorOf(
  { AuthorizationResponseError, ResponseBodyError }: typeof OpenidClient,
  error: unknown,
  { host }: UpstreamProvider,
): Error {
  if (error instanceof UpstreamRefused || error instanceof InvalidInput) return error;
  if (error instanceof AuthorizationResponseError) {
    return new InvalidInput(
      `The sign-in service ${host} returned "${plainCode(error.error)}". Start again, or sign in with your password.`,
      { cause: error },
    );
  }
  // The code was used or changed, or has expired. The user can only start again.
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    return new InvalidInput('This sign-in has been used or has expired. Start again.', { cause: error });
  }
  return upstreamUnavailable(host, error);
}

/** Returns an OAuth error code for display. Other text is not shown to users. */
function plainCode(code: string): string {
  return /^[a-z_]{1,64}$/.test(code) ? code : 'an error';
}
