import type { Provider } from 'oidc-provider';
import { isLoopbackRedirect, isRegisteredRedirect } from './redirect-uri.ts';

interface Redirected {
  readonly redirectUris?: readonly string[];
  readonly undocumented?: unknown;
}

/**
 * Replaces the library's comparison of redirect URIs for every client of `provider`. The library ignores loopback ports
 * for native clients only, but editors register loopback URIs together with https URIs. An undocumented client may use
 * every loopback URI.
 */
export function allowLoopbackPorts(provider: Provider): void {
  provider.Client.prototype.redirectUriAllowed = redirectUriAllowed;
}

function redirectUriAllowed(this: Redirected, requested: string): boolean {
  if (this.undocumented === true) return isLoopbackRedirect(requested);
  return isRegisteredRedirect(requested, this.redirectUris ?? []);
}
