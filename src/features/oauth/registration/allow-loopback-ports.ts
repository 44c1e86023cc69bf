import type { Provider } from 'oidc-provider';
import { isRegisteredRedirect } from './redirect-uri.ts';

/**
 * Replaces the library's comparison of redirect URIs for every client of `provider`. The library ignores loopback ports
 * for native clients only, but editors register loopback URIs together with https URIs.
 */
export function allowLoopbackPorts(provider: Provider): void {
  provider.Client.prototype.redirectUriAllowed = redirectUriAllowed;
}

function redirectUriAllowed(this: { readonly redirectUris?: readonly string[] }, requested: string): boolean {
  return isRegisteredRedirect(requested, this.redirectUris ?? []);
}
