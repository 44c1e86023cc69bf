import type { CookieSerializeOptions } from '@fastify/cookie';
import { isLoopback } from '../../../foundation/kernel/loopback.ts';

export interface PageCookie {
  readonly name: string;
  readonly options: CookieSerializeOptions;
}

export interface PageCookies {
  /** Who is signed in at this browser (contract section 5). */
  readonly session: PageCookie;
  /** What ties a form to the browser that it was shown in. */
  readonly form: PageCookie;
  /** A sign-in that is under way at the identity provider. */
  readonly upstream: PageCookie;
}

/**
 * `__Host-` keeps every other host and path from setting them. On http loopback there is no such cookie (RFC 6265bis
 * section 4.1.3.2). Lax, since authorizations come by links from elsewhere, and never without one's own POST.
 */
export function pageCookies(baseUrl: string): PageCookies {
  const { protocol, hostname } = new URL(baseUrl);
  const secure = protocol === 'https:' || !isLoopback(hostname);
  const cookie = (name: string, maxAge?: number): PageCookie => ({
    name: `${secure ? '__Host-' : ''}orgctx_${name}`,
    options: { path: '/', httpOnly: true, secure, sameSite: 'lax', ...(maxAge !== undefined && { maxAge }) },
  });
  return {
    session: cookie('session', sessionSeconds),
    form: cookie('form'),
    upstream: cookie('upstream', upstreamSeconds),
  };
}

/** The longest that a session can be kept alive; when it ends before that, the database knows. */
const sessionSeconds = 90 * 24 * 3600;

const upstreamSeconds = 600;
