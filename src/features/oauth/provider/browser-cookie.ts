import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { interactionSeconds } from '../lifetimes.ts';

export interface BrowserCookie {
  /** The step that is bound to the browser: the interaction page, or the resumption after the decision. */
  readonly name: 'interaction' | 'resume';
  readonly uid: string;
  /** The only path that the cookie is sent to. */
  readonly path: string;
}

/** Sets a cookie of the library in the same way as the library does when it starts an interaction itself. */
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
