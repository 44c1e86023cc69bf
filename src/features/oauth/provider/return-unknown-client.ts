import type { KoaContextWithOIDC } from 'oidc-provider';
import { isUnread } from '../client-documents/client-copy.ts';
import { isClientIdUrl } from '../client-documents/client-id-url.ts';
import { inspectRedirectUri } from '../registration/redirect-uri.ts';

export interface ClientReturn {
  /** The redirect URI on the user's machine, with the error parameters. */
  readonly href: string;
  readonly name: string;
  /** True if the browser may go there without a click. */
  readonly isAutomatic: boolean;
}

/** An error as the library would send it to the client. */
export interface ErrorParameters {
  readonly error: string;
  readonly error_description?: string | undefined;
  readonly state?: string | undefined;
  readonly iss?: string;
}

/**
 * Returns the way back to a client that is not known, if its redirect URI names the user's machine. Programs keep their
 * client id from one sign-in to the next, and forget it only if they receive an error (Claude Code 2.1). Anybody can
 * register such a redirect URI, so it opens no redirect that a registered client does not have. It is automatic if only
 * the metadata document is unread: the client id itself is not invalid then (RFC 6749 section 4.1.2.1).
 */
export function returnUnknownClient(
  { oidc }: KoaContextWithOIDC,
  out: ErrorParameters,
  error: Error,
  description: string,
): ClientReturn | undefined {
  const { client_id: clientId, redirect_uri: redirectUri } = (oidc.params ?? {}) as Record<string, unknown>;
  if (oidc.client !== undefined || typeof clientId !== 'string' || typeof redirectUri !== 'string')
    return undefined;
  const inspected = inspectRedirectUri(redirectUri);
  if ('error' in inspected || inspected.kind !== 'loopback') return undefined;
  const url = new URL(redirectUri);
  // `invalid_client` is an error of the token endpoint (RFC 6749 section 4.1.2.1).
  const code = out.error === 'invalid_client' ? 'unauthorized_client' : out.error;
  const parameters = { error: code, error_description: description, state: out.state, iss: out.iss };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { href: url.href, name: url.host, isAutomatic: isClientIdUrl(clientId) && isUnread(error) };
}
