import type { CustomFetch } from 'openid-client';
import type { HttpClient, HttpMethod } from '../../../foundation/net/http.ts';

/**
 * The way of openid-client into the one HTTP client. The operator wrote the issuer, so it and the addresses that it
 * publishes are used as written; redirects are answers, never followed. `timeoutMs` bounds one exchange.
 */
export function fetchWith(http: HttpClient, timeoutMs: number): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await http.request({
      url,
      destination: 'operator',
      method: method as HttpMethod,
      headers,
      timeoutMs,
      ...(body !== null && body !== undefined && { body: bodyText(body) }),
      ...(signal && { signal }),
    });
    const hasBody = ![101, 204, 205, 304].includes(answer.status);
    return new Response(hasBody ? Uint8Array.from(answer.body) : null, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

function bodyText(body: NonNullable<Parameters<CustomFetch>[1]['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('Only forms are sent to an identity provider.');
}
