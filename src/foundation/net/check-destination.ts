import { InvalidInput } from '../kernel/errors.ts';
import { bareHost, isAllowedHost } from './allow-hosts.ts';
import type { DestinationKind } from './http.ts';
import { RefusedDestination } from './outbound-error.ts';
import { hostNameRefusal } from './resolve-public.ts';

/** A URL that may be called. `checked` is true if its addresses must also prove public when connecting. */
export interface Destination {
  readonly url: URL;
  readonly checked: boolean;
}

const maxUrlLength = 8_192;

/**
 * Applies the rules of contract section 2, "Outbound", that depend only on the URL; addresses are checked when
 * connecting. A tenant URL may name any port, since only a TLS service can respond over TLS.
 * @throws RefusedDestination, or InvalidInput for an operator's URL that is not http(s). Neither repeats the URL,
 * which may contain a secret.
 */
export function checkDestination(
  text: string,
  kind: DestinationKind,
  allowHosts: readonly string[],
): Destination {
  const url = parseHttpUrl(text, kind);
  if (kind === 'operator') return { url, checked: false };
  if (url.username !== '' || url.password !== '') {
    throw new RefusedDestination(
      'A URL must not carry a user name or password: remove the part before the "@".',
    );
  }
  if (isAllowedHost(allowHosts, url.hostname, portOf(url))) return { url, checked: false };
  if (url.protocol !== 'https:') {
    throw new RefusedDestination(
      `${bareHost(url.hostname)} may only be called with https. Use an https URL, or have the operator name the host in OUTBOUND_ALLOW_HOSTS.`,
    );
  }
  const refusal = hostNameRefusal(url.hostname);
  if (refusal !== undefined) throw refusal;
  return { url, checked: true };
}

function parseHttpUrl(text: string, kind: DestinationKind): URL {
  const url = text.length > maxUrlLength ? null : URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  const message = 'This is not a URL that can be called: it must start with https:// and name a host.';
  throw kind === 'operator' ? new InvalidInput(message) : new RefusedDestination(message);
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
