import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserSession } from '../../../features/identity/sign-in/session.ts';
import type { PageCookies } from './cookies.ts';
import { isFormKey, newFormKey } from './form-key.ts';

/** Who looks at a page. */
export interface Visitor {
  /** `undefined` for nobody, which an ended session is, too. */
  readonly session: BrowserSession | undefined;
  /** Names the browser to its own forms; it signs nobody in. */
  readonly formKey: string;
}

export type FindSession = (token: string) => Promise<BrowserSession | undefined>;

/** Session tokens are 256 bits in base64url; nothing else is looked up. */
const sessionToken = /^[\w-]{43}$/;

/** Reads both cookies, and gives the browser the one for forms where it has none. */
export async function meetVisitor(
  request: FastifyRequest,
  reply: FastifyReply,
  { cookies, findSession }: { readonly cookies: PageCookies; readonly findSession: FindSession },
): Promise<Visitor> {
  const token = sessionTokenOf(request, cookies);
  const session = token === undefined ? undefined : await findSession(token);
  const kept = request.cookies[cookies.form.name];
  if (isFormKey(kept)) return { session, formKey: kept };
  const formKey = newFormKey();
  reply.setCookie(cookies.form.name, formKey, cookies.form.options);
  return { session, formKey };
}

export function sessionTokenOf(request: FastifyRequest, cookies: PageCookies): string | undefined {
  const token = request.cookies[cookies.session.name];
  return token !== undefined && sessionToken.test(token) ? token : undefined;
}
