import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SignInRefused, signIn } from '../../../features/identity/sign-in/sign-in.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';
import { retryAfterOf } from '../../fastify/retry-after.ts';
import { maxEntryBytes, personOfEntry, readEntry, resumePage } from '../app/kept-entry.ts';
import { browserOf } from '../browser-of.ts';
import { checkFields, filled, typedPassword } from '../kit/forms/check-fields.ts';
import type { FormRule } from '../kit/requests/form-guard.ts';
import { ownPath } from '../kit/requests/own-path.ts';
import { fieldsOf, visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import { pagePaths, signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { enterSession } from './enter-session.ts';
import { type SignInView, signInPage, signInPurpose } from './sign-in-page.ts';
import { upstreamLink } from './upstream-routes.ts';

const { signIn: path, start: landing } = pagePaths;

/** Maximum size of the form, in bytes: it may carry a kept entry. */
const bodyLimit = maxEntryBytes + 16 * 1024;

const rule: FormRule = {
  purpose: () => signInPurpose,
  page: ({ body }) =>
    signInPath(ownPath(body instanceof URLSearchParams ? (body.get('returnTo') ?? '') : '', landing)),
};

const credentials = z.object({
  email: filled('Enter your e-mail.', 254),
  password: typedPassword('Enter your password.'),
});

export function signInRoutes(server: FastifyInstance, context: PageContext): void {
  server.get(path, { schema: { hide: true } }, async (request, reply) => {
    const returnTo = ownPath(textParameter(request.query, 'returnTo'), landing);
    if (visitorOf(request).session !== undefined) return seeOther(reply, returnTo);
    return showForm(request, reply, { returnTo });
  });

  server.post(path, { schema: { hide: true }, bodyLimit, config: { form: rule } }, async (request, reply) => {
    const fields = fieldsOf(request);
    const returnTo = ownPath(fields['returnTo'], landing);
    const entry = readEntry(fields['entry']);
    const enteredBy = entry && personOfEntry(entry, visitorOf(request), context.tokens);
    const sent = enteredBy && entry;
    const { values, errors } = checkFields(credentials, fields);
    if (errors) return showForm(request, reply, { returnTo, sent, email: fields['email'], errors }, 400);
    try {
      const { token, user } = await signIn(context.identity, { ...values, ...browserOf(request) });
      await enterSession(context, request, reply, token);
      if (sent === undefined || enteredBy !== user.id) return seeOther(reply, returnTo);
      return sendPage(reply, resumePage(sent, returnTo));
    } catch (error) {
      if (!(error instanceof SignInRefused || error instanceof RateLimited)) throw error;
      const wait = retryAfterOf(error);
      if (wait !== undefined) reply.header('retry-after', wait);
      const view = { returnTo, sent, email: values.email, errors: { '': error.message } };
      return showForm(request, reply, view, error instanceof RateLimited ? 429 : 403);
    }
  });

  function showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    view: Omit<SignInView, 'csrf' | 'upstream'>,
    status = 200,
  ): FastifyReply {
    const csrf = context.tokens.issue(visitorOf(request), signInPurpose);
    const upstream = upstreamLink(context, view.returnTo);
    return sendPage(reply, signInPage({ ...view, csrf, upstream }), { status });
  }
}
