/**
 * Returns the headers of every page: no scripts run (or only the service's own files, with `script`), no resources of
 * other origins load, no site can frame it (RFC 9700 section 4.16), and neither its address nor its text is cached or
 * sent as a referrer (sections 4.2 and 4.3).
 *
 * @param formAction source expression of a validated redirect target that forms may lead to beside this service, also
 * through redirects. Chromium blocks the redirect back to a client that is not named here.
 */
export function pageHeaders(
  formAction = '',
  { script = false }: { readonly script?: boolean } = {},
): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      ...(script ? ["script-src 'self'", "connect-src 'self'"] : []),
      "base-uri 'none'",
      `form-action 'self'${isSource(formAction) ? ` ${formAction}` : ''}`,
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  };
}

/**
 * Returns whether the text is one origin or the scheme of an app. `http:` stands for loopback by its IPv6 address,
 * which no policy can name. Text that could end the directive, add a source or name every site is refused.
 */
function isSource(text: string): boolean {
  return (
    /^https?:\/\/[a-z0-9.:_-]+$/i.test(text) ||
    (/^[a-z][a-z0-9+.-]*:$/i.test(text) &&
      !/^(?:https|javascript|data|blob|file|about|filesystem):/i.test(text))
  );
}
