import type { FastifyReply, FastifyRequest } from 'fastify';
import { visitorOf } from '../kit/requests/page-scope.ts';
import { sendPage } from '../kit/requests/send-page.ts';
import type { PageContext } from '../pages-deps.ts';
import { signInPage, signInPurpose } from '../sign-in/sign-in-page.ts';
import { upstreamLink } from '../sign-in/upstream-routes.ts';
import { entryOf, personOfEntry } from './kept-entry.ts';

/**
 * Answers a form of a person whose session has ended with a sign-in page that keeps what was entered, if the form is
 * of a person who was signed in in this browser.
 */
export function keepEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  context: PageContext,
  returnTo: string,
): FastifyReply {
  const { body, url } = request;
  const visitor = visitorOf(request);
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const entry = entryOf(url.split('?', 1)[0] ?? '', form);
  const page = signInPage({
    csrf: context.tokens.issue(visitor, signInPurpose),
    returnTo,
    sent: personOfEntry(entry, visitor, context.tokens) === undefined ? 'not kept' : entry,
    upstream: upstreamLink(context, returnTo),
  });
  return sendPage(reply, page, { status: 401 });
}
