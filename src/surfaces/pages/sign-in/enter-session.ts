import type { FastifyReply, FastifyRequest } from 'fastify';
import { endSession } from '../../../features/identity/sign-in/session-store.ts';
import { sessionTokenOf } from '../kit/requests/visitor.ts';
import type { PageContext } from '../pages-deps.ts';

/** Sets the cookie of a new session, and ends the former session of the browser. */
export async function enterSession(
  { cookies, identity }: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<void> {
  const former = sessionTokenOf(request, cookies);
  if (former !== undefined) await endSession(identity.database.queries, former);
  reply.setCookie(cookies.session.name, token, cookies.session.options);
}
