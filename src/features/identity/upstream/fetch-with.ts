import type { CustomFetch } from 'openid-client';
import type { HttpClient, HttpMethod } from '../../../foundation/net/http.ts';

/**
 * Adapts the HTTP client for openid-client. The operator configured the issuer, so its URL and the URLs that it
 * publishes are trusted. Redirects are returned as responses and never followed. `timeoutMs` is the time-out of one
 * request.
 */
export function fetchWith(http: HttpClient, timeoutMs: number): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const response = await http.request({
      url,
      destination: 'operator',
      method: method as HttpMethod,
      headers,
      timeoutMs,
      ...(body !== null && body !== undefined && { body: bodyText(body) }),
      ...(signal && { signal }),
    });
    const hasBody = ![101, 204, 205, 304].includes(response.status);
    return new Response(hasBody ? Uint8Array.from(response.body) : null, {
      status: response.status,
      headers: response.headers,
    });
  };
}

function bodyText(body: NonNullable<Parameters<CustomFetch>[1]['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('Only forms are sent to an identity provider.');
}
