import { Unauthenticated } from '../../../foundation/kernel/errors.ts';

/** In characters; our own tokens are far shorter, and nothing longer is worth hashing or verifying. */
const maxHeaderLength = 8192;

/** RFC 6750 section 2.1: one b64token after the scheme, which RFC 9110 section 11.1 makes case-insensitive. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of an Authorization header.
 * @throws Unauthenticated `unauthenticated` without a bearer credential, `invalid_token` with a malformed one.
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
