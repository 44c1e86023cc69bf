import { Unauthenticated } from '../../../foundation/kernel/errors.ts';

/**
 * Maximum length of the header, in characters. Valid tokens are far shorter; longer ones are not hashed or verified.
 */
const maxHeaderLength = 8192;

/** One b64token after the scheme (RFC 6750 section 2.1), which is case-insensitive (RFC 9110 section 11.1). */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Returns the token of an Authorization header.
 * @throws Unauthenticated `unauthenticated` without a bearer credential, `invalid_token` with a malformed one
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) {
    throw new Unauthenticated(
      'unauthenticated',
      'Sign in first: send the header "Authorization: Bearer <API key or access token>".',
    );
  }
  const token = authorization.length > maxHeaderLength ? undefined : bearer.exec(authorization)?.[1];
  if (token === undefined) {
    throw new Unauthenticated(
      'invalid_token',
      'The Authorization header is malformed: send one token, as "Authorization: Bearer <token>".',
    );
  }
  return token;
}
