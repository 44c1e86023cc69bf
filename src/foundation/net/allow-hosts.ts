import { withoutEnd } from '../kernel/text/cut-text.ts';

/**
 * Returns whether OUTBOUND_ALLOW_HOSTS (`host` or `host:port`, lower case) names this host. The operator trusts such
 * a host: http, any port and private addresses are allowed.
 */
export function isAllowedHost(allowHosts: readonly string[], hostname: string, port: number): boolean {
  const host = bareHost(hostname);
  const names = host.includes(':') ? [host, `[${host}]`] : [host];
  return names.some((name) => allowHosts.includes(name) || allowHosts.includes(`${name}:${port}`));
}

/** Returns a URL's host as a resolver expects it: without brackets and without a trailing dot. */
export function bareHost(hostname: string): string {
  return withoutEnd(hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1'), '.');
}
