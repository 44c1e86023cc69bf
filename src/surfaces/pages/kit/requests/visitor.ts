import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserSession } from '../../../../features/identity/sign-in/session.ts';
import type { PageCookies } from './cookies.ts';
import { isFormKey, newFormKey } from './form-key.ts';

/** The visitor of a page. */
export interface Visitor {
  /** `undefined` if nobody is signed in or the session has ended. */
  readonly session: BrowserSession | undefined;
  /** Identifies the browser for its forms; it does not authenticate a person. */
  readonly formKey: string;
  /** True if the browser sent no form cookie: it got none before, or keeps none. */
  readonly isNew?: boolean;
}

export type FindSession = (token: string) => Promise<BrowserSession | undefined>;

/** The format of session tokens: 256 bits in base64url. Other values are not looked up. */
const sessionToken = /^[\w-]{43}$/;

/** Reads the session and form cookies, and sets the form cookie if it is missing. */
export async function identifyVisitor(
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
  return { session, formKey, isNew: true };
}

export function sessionTokenOf(request: FastifyRequest, cookies: PageCookies): string | undefined {
  const token = request.cookies[cookies.session.name];
  return token !== undefined && sessionToken.test(token) ? token : undefined;
}
