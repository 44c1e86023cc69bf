import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { interactionSeconds } from '../lifetimes.ts';

export interface BrowserCookie {
  /** What it binds to a browser: its page, or going on after the answer. */
  readonly name: 'interaction' | 'resume';
  readonly uid: string;
  /** The one path that it is sent to. */
  readonly path: string;
}

/** Sets a cookie of the library's as the library does when it begins an interaction itself. */
export function setBrowserCookie(
  { provider, baseUrl }: { readonly provider: Provider; readonly baseUrl: string },
  request: IncomingMessage,
  response: ServerResponse,
  { name, uid, path }: BrowserCookie,
): void {
  const { cookies } = provider.createContext(request, response);
  const secure = baseUrl.startsWith('https:');
  cookies.secure = secure;
  const options = { signed: true, httpOnly: true, sameSite: 'lax', secure, path } as const;
  cookies.set(provider.cookieName(name), uid, { ...options, maxAge: interactionSeconds * 1000 });
}
