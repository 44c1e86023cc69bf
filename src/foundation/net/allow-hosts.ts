/**
 * Whether OUTBOUND_ALLOW_HOSTS (`host` or `host:port`, lower case) names this host: then the operator vouches for it,
 * with http, any port and private addresses.
 */
export function isAllowedHost(allowHosts: readonly string[], hostname: string, port: number): boolean {
  const host = bareHost(hostname);
  const names = host.includes(':') ? [host, `[${host}]`] : [host];
  return names.some((name) => allowHosts.includes(name) || allowHosts.includes(`${name}:${port}`));
}

/** A URL's host as a resolver takes it: without brackets and without a trailing dot. */
export function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '');
}
