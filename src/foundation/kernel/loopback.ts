/**
 * Whether a host name, as `URL.hostname` gives it, can only be this machine: 127.0.0.0/8, `::1` (RFC 6890) and
 * `localhost` with the names under it (RFC 6761 section 6.3).
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\]|::1)$/.test(hostname);
}
