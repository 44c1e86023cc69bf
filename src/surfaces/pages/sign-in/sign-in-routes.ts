import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findSession } from '../../../features/identity/sign-in/session-store.ts';
import { SignInRefused, signIn } from '../../../features/identity/sign-in/sign-in.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';
import { retryAfterOf } from '../../fastify/retry-after.ts';
import { maxFormBytes } from '../app/app-page.ts';
import { resumePage } from '../app/kept-entry.ts';
import { browserOf } from '../browser-of.ts';
import { checkFields, filled, typedPassword } from '../kit/check-fields.ts';
import type { FormRule } from '../kit/form-guard.ts';
import { ownPath } from '../kit/own-path.ts';
import { fieldsOf, visitorOf } from '../kit/page-scope.ts';
import { seeOther, sendPage } from '../kit/send-page.ts';
import { textParameter } from '../kit/text-parameter.ts';
import { pagePaths, signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { enterSession } from './enter-session.ts';
import { type SignInView, signInPage, signInPurpose } from './sign-in-page.ts';
import { upstreamLink } from './upstream-routes.ts';

const { signIn: path, start: landing } = pagePaths;

/** Maximum size of the form, in bytes: it may carry another one, encoded in base64. */
const bodyLimit = maxFormBytes * 1.5;

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
    const { entry } = fields;
    const { values, errors } = checkFields(credentials, fields);
    if (errors) return showForm(request, reply, { returnTo, entry, email: fields['email'], errors }, 400);
    try {
      const { token } = await signIn(context.identity, { ...values, ...browserOf(request) });
      await enterSession(context, request, reply, token);
      return (await resume(request, reply, { token, entry, returnTo })) ?? seeOther(reply, returnTo);
    } catch (error) {
      if (!(error instanceof SignInRefused || error instanceof RateLimited)) throw error;
      const wait = retryAfterOf(error);
      if (wait !== undefined) reply.header('retry-after', wait);
      const view = { returnTo, entry, email: values.email, errors: { '': error.message } };
      return showForm(request, reply, view, error instanceof RateLimited ? 429 : 403);
    }
  });

  /** Offers to send a form that was kept during the sign-in; returns `undefined` if there is none of this person. */
  async function resume(
    request: FastifyRequest,
    reply: FastifyReply,
    { token, entry, returnTo }: { token: string; entry: string | undefined; returnTo: string },
  ): Promise<FastifyReply | undefined> {
    if (entry === undefined) return undefined;
    const { database, clock } = context.identity;
    const session = await findSession(database.queries, token, clock);
    if (session === undefined) return undefined;
    const { formKey } = visitorOf(request);
    const page = resumePage(entry, session, { formKey, tokens: context.tokens, returnTo });
    return page && sendPage(reply, page);
  }

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
