/** The parameters of a `WWW-Authenticate: Bearer` challenge. */
export interface BearerChallenge {
  /** Public origin, without a trailing slash. */
  readonly baseUrl: string;
  /** The protected resource under it: `/mcp`, or `` for the base URL itself (REST). */
  readonly resourcePath: '/mcp' | '';
  /** RFC 6750 section 3.1; absent when the request carried no credential at all. */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
  readonly errorDescription?: string;
  /** Scopes the call needs. */
  readonly scope?: readonly string[];
}

/**
 * Returns the value of the header. `resource_metadata` (RFC 9728 section 5.1) is always present and first, because
 * clients cannot start OAuth discovery without it (specification, Errors).
 */
export function bearerChallenge(challenge: BearerChallenge): string {
  const parameters: readonly (readonly [string, string | undefined])[] = [
    ['resource_metadata', resourceMetadataUrl(challenge.baseUrl, challenge.resourcePath)],
    ['scope', challenge.scope?.join(' ')],
    ['error', challenge.error],
    ['error_description', challenge.errorDescription],
  ];
  const written = parameters.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${quoted(value)}`],
  );
  return `Bearer ${written.join(', ')}`;
}

/** RFC 9728 section 3.1: the well-known segment goes between origin and path. */
function resourceMetadataUrl(baseUrl: string, resourcePath: '/mcp' | ''): string {
  return `${baseUrl}/.well-known/oauth-protected-resource${resourcePath}`;
}

/**
 * Returns a quoted-string with only the characters that RFC 6750 section 3 allows in `error_description` (printable
 * ASCII without the quote and the backslash). A quote becomes an apostrophe, any other character a space, so that no
 * value can end the string or the header.
 */
function quoted(value: string): string {
  return `"${value.replaceAll('"', "'").replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, ' ')}"`;
}
