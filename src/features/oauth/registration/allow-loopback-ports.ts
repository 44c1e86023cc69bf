import type { Provider } from 'oidc-provider';
import { isRegisteredRedirect } from './redirect-uri.ts';

/**
 * Puts our comparison of redirect URIs in the place of the library's, for every client of `provider`: the library knows
 * the rule of loopback ports for native clients only, and editors register loopback beside https.
 */
export function allowLoopbackPorts(provider: Provider): void {
  provider.Client.prototype.redirectUriAllowed = redirectUriAllowed;
}

function redirectUriAllowed(this: { readonly redirectUris?: readonly string[] }, asked: string): boolean {
  return isRegisteredRedirect(asked, this.redirectUris ?? []);
}
