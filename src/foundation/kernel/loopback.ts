/**
 * Returns whether a host name, as returned by `URL.hostname`, can only be this machine: 127.0.0.0/8, `::1` (RFC
 * 6890), and `localhost` with its subdomains (RFC 6761 section 6.3).
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\]|::1)$/.test(hostname);
}
