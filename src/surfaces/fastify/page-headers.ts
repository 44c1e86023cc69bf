/**
 * Headers of every page, whoever writes it: nothing runs in it, nothing from elsewhere loads, nobody frames it
 * (RFC 9700 section 4.16), and neither its address nor its text stays anywhere (sections 4.2 and 4.3).
 *
 * @param formAction where its forms may lead beside this service, through redirects too: the source expression of a
 *   validated redirect target. Chromium blocks the way back to a client that is not named here.
 */
export function pageHeaders(formAction = ''): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
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
 * One origin, or the scheme of an app; `http:` stands for loopback by its IPv6 address, which no policy can name. What
 * could end the directive, add a source or name every site is none.
 */
function isSource(text: string): boolean {
  return (
    /^https?:\/\/[a-z0-9.:_-]+$/i.test(text) ||
    (/^[a-z][a-z0-9+.-]*:$/i.test(text) &&
      !/^(?:https|javascript|data|blob|file|about|filesystem):/i.test(text))
  );
}
