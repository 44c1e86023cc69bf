import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  type Configuration,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client';
import { z } from 'zod';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { checkEmail } from '../people/user.ts';
import type { UpstreamAttempt } from './sealed-attempt.ts';
import type { UpstreamProvider } from './upstream-provider.ts';
import { UpstreamRefused, unanswered } from './upstream-refused.ts';

/** Who somebody is, by the word of the provider. */
export interface UpstreamIdentity {
  readonly issuer: string;
  /** Never given to anybody else by this issuer. */
  readonly subject: string;
  /** Verified by the provider; lower case. */
  readonly email: string;
}

/** Some providers write the flag as text. */
const mailClaims = z.object({
  email: z.string(),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
});

/** OpenID Connect Core section 2: at most 255 characters. */
const subjectClaim = z.string().min(1).max(255);

/**
 * Exchanges the code of a callback and reads who it stands for. State, issuer, nonce, audience, times and the
 * signature of the ID token are checked on the way.
 * @throws InvalidInput, UpstreamRefused, Unavailable
 */
export async function exchangeCode(
  provider: UpstreamProvider,
  query: URLSearchParams,
  attempt: UpstreamAttempt,
): Promise<UpstreamIdentity> {
  const configuration = await provider.configuration();
  try {
    const url = new URL(provider.redirectUri);
    url.search = query.toString();
    const tokens = await authorizationCodeGrant(configuration, url, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims() ?? {};
    const subject = subjectClaim.parse('sub' in claims ? claims.sub : undefined);
    const email = verifiedEmail('email' in claims ? claims : await userInfo(configuration, tokens, subject));
    return { issuer: provider.issuer, subject, email };
  } catch (error) {
    throw faultOf(error, provider);
  }
}

/** Where the ID token leaves the address out, it is asked for. */
async function userInfo(
  configuration: Configuration,
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
      'The sign-in service told no e-mail address of yours: let it share the address with this service.',
    );
  }
  if (mail.email_verified !== true && mail.email_verified !== 'true') {
    throw new UpstreamRefused(
      'The sign-in service has not verified your e-mail address: verify it there, then sign in again.',
    );
  }
  return checkEmail(mail.email);
}

function faultOf(error: unknown, { host }: UpstreamProvider): Error {
  if (error instanceof UpstreamRefused || error instanceof InvalidInput) return error;
  if (error instanceof AuthorizationResponseError) {
    return new InvalidInput(
      `The sign-in service ${host} answered "${plainCode(error.error)}". Begin again, or sign in with your password.`,
      { cause: error },
    );
  }
  // A code that was used, changed or has expired: what people can do about it is to begin again.
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    return new InvalidInput('This sign-in has been used or has expired. Begin again.', { cause: error });
  }
  return unanswered(host, error);
}

/** An error code of OAuth is one word; anything else is not repeated to people. */
function plainCode(code: string): string {
  return /^[a-z_]{1,64}$/.test(code) ? code : 'an error';
}
