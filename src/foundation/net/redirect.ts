import { checkDestination, type Destination } from './check-destination.ts';
import type { DestinationKind, HttpMethod } from './http.ts';
import { RefusedDestination } from './outbound-error.ts';

/** One request of an exchange: the first one, or one after a redirect. */
export interface Hop {
  readonly destination: Destination;
  readonly method: HttpMethod;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export interface RedirectRules {
  readonly status: number;
  readonly start: Destination;
  readonly kind: DestinationKind;
  readonly allowHosts: readonly string[];
}

export const maxRedirects = 5;

/**
 * Returns the request that follows a redirect. The redirect of an operator's URL is data: outside the operator's
 * origin, its target is checked as a tenant URL (contract section 2).
 * @throws RefusedDestination, also for a redirect from https to http.
 */
export function followRedirect(hop: Hop, location: string, rules: RedirectRules): Hop {
  const from = hop.destination.url;
  const target = URL.parse(location, from.href)?.href ?? location;
  const trusted = rules.kind === 'operator' && URL.parse(target)?.origin === rules.start.url.origin;
  const destination = checkDestination(target, trusted ? 'operator' : 'tenant', rules.allowHosts);
  if (from.protocol === 'https:' && destination.url.protocol !== 'https:') {
    throw new RefusedDestination(
      `${from.host} redirects from https to http. Such a redirect is not followed.`,
    );
  }
  const sameOrigin = destination.url.origin === from.origin;
  const headers = sameOrigin ? hop.headers : withoutCredentials(hop.headers);
  if (changesToGet(rules.status, hop.method)) {
    return { destination, method: 'GET', headers: withoutBodyHeaders(headers), body: undefined };
  }
  if (hop.body !== undefined && !sameOrigin) {
    throw new RefusedDestination(
      `${from.host} redirects a request with a body to another host. Such a redirect is not followed.`,
    );
  }
  return { destination, method: hop.method, headers, body: hop.body };
}

/**
 * Returns whether the method becomes GET (RFC 9110 section 15.4): always for 303, and for 301 and 302 after POST, as
 * in every browser.
 */
function changesToGet(status: number, method: HttpMethod): boolean {
  return (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');
}

/**
 * Headers that are sent to another origin. They reveal nothing about the caller; any other header may be a
 * credential.
 */
const safeHeaders = new Set(['accept', 'accept-language', 'accept-encoding', 'user-agent']);

function withoutCredentials(headers: Hop['headers']): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => safeHeaders.has(name)));
}

function withoutBodyHeaders(headers: Hop['headers']): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}
