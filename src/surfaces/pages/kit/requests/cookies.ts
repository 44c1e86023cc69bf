import type { CookieSerializeOptions } from '@fastify/cookie';
import { isLoopback } from '../../../../foundation/kernel/loopback.ts';

export interface PageCookie {
  readonly name: string;
  readonly options: CookieSerializeOptions;
}

export interface PageCookies {
  /** The session token of the signed-in person (contract section 5). */
  readonly session: PageCookie;
  /** The key that binds forms to the browser. */
  readonly form: PageCookie;
  /** The state of a pending sign-in at the identity provider. */
  readonly upstream: PageCookie;
}

/**
 * Returns the cookies of the pages. The prefix `__Host-` prevents other hosts and paths from setting them; it cannot
 * be used on http loopback (RFC 6265bis section 4.1.3.2). SameSite is lax because authorizations start with links
 * from other sites; changes always need a POST of the service's own pages.
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

/** Maximum lifetime of a session, in seconds. The database records when it ends earlier. */
const sessionSeconds = 90 * 24 * 3600;

const upstreamSeconds = 600;
