import type { KoaContextWithOIDC } from 'oidc-provider';
import { isLoopbackRedirect } from '../registration/redirect-uri.ts';

/** An error as the library would send it to the client. */
export interface ErrorParameters {
  readonly error: string;
  readonly error_description?: string | undefined;
  readonly state?: string | undefined;
  readonly iss?: string;
}

/**
 * Returns a link that takes the error to a client that is not known, if its redirect URI names the user's machine.
 * Claude Code keeps the client id of an unfinished sign-in and registers again only after it has received an error. The
 * link needs a click, because nothing is redirected for an invalid client id (RFC 6749 section 4.1.2.1).
 */
export function returnUnknownClient(
  { oidc }: KoaContextWithOIDC,
  out: ErrorParameters,
  description: string,
): { readonly href: string; readonly name: string } | undefined {
  const redirectUri: unknown = oidc.params?.['redirect_uri'];
  if (oidc.client !== undefined || typeof redirectUri !== 'string') return undefined;
  if (!isLoopbackRedirect(redirectUri)) return undefined;
  const url = new URL(redirectUri);
  // `invalid_client` is no error of an authorization (RFC 6749 section 4.1.2.1).
  const error = out.error === 'invalid_client' ? 'unauthorized_client' : out.error;
  const parameters = { error, error_description: description, state: out.state, iss: out.iss };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { href: url.href, name: url.host };
}
