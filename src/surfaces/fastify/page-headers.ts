/**
 * Returns the headers of every page: no scripts run (or only the service's own files, with `script`), no resources of
 * other origins load, no site can frame it (RFC 9700 section 4.16), and neither its address nor its text is cached or
 * sent as a referrer (sections 4.2 and 4.3).
 * Forms lead to this service only, in Chromium also through redirects: those that go on to another origin are answered
 * with `leave` (`pages/kit/requests/leave.ts`).
 */
export function pageHeaders({
  script = false,
}: {
  readonly script?: boolean;
} = {}): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      ...(script ? ["script-src 'self'", "connect-src 'self'"] : []),
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  };
}
