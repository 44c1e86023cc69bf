import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  inspectOneTimeLink,
  type OneTimeLinkState,
} from '../../../features/identity/sign-in/one-time-link.ts';
import { useBootstrapLink, useSignInLink } from '../../../features/identity/sign-in/use-link.ts';
import { revokeGrantsOf } from '../../../features/oauth/grants/grant-store.ts';
import { browserOf } from '../browser-of.ts';
import { checkFields, errorsOf, filled, typedPassword } from '../kit/forms/check-fields.ts';
import type { FieldErrors } from '../kit/forms/form.ts';
import type { Fields, FormRule } from '../kit/requests/form-guard.ts';
import { fieldsOf, visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import { pagePaths, passwordSavedPath, pathWith } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { enterSession } from './enter-session.ts';
import { bootstrapPage, deadLinkPage, signInLinkPage } from './link-page.ts';

const { link: route, start: landing } = pagePaths;

/** The suggested short name of the first organization. */
const defaultSlug = 'local';

const tokenOf = (request: FastifyRequest): string => textParameter(request.params, 'token') ?? '';
const pathOf = (request: FastifyRequest): string => pathWith(route, tokenOf(request));
const purposeOf = (request: FastifyRequest): string => `link ${tokenOf(request)}`;

const setsPassword = (request: FastifyRequest): boolean => (fieldsOf(request)['password'] ?? '') !== '';

const rule: FormRule = { purpose: purposeOf, page: pathOf };

const bootstrap = z.object({
  email: filled('Enter your e-mail.', 254),
  password: typedPassword('Choose a password.'),
  orgName: filled('Enter the name of your organization.', 100),
  orgSlug: filled('Enter a short name.', 39),
});

/** Registers the page of one-time links. A GET does not use up the link, because programs may prefetch it. */
export function linkRoutes(server: FastifyInstance, context: PageContext): void {
  const { identity } = context;

  server.get(route, { schema: { hide: true } }, async (request, reply) => {
    return show(request, reply, await inspect(request), { orgSlug: defaultSlug });
  });

  server.post(route, { schema: { hide: true }, config: { form: rule } }, async (request, reply) => {
    const link = await inspect(request);
    if (link.state !== 'valid') return show(request, reply, link, {});
    const { token, errors } =
      link.purpose === 'bootstrap' ? await setUp(request) : await signInByLink(request);
    if (token === undefined) return show(request, reply, link, fieldsOf(request), errors);
    await enterSession(context, request, reply, token);
    const replaced = link.purpose === 'sign-in' && link.hasPassword && setsPassword(request);
    return seeOther(reply, replaced ? passwordSavedPath : landing);
  });

  function inspect(request: FastifyRequest): Promise<OneTimeLinkState> {
    return inspectOneTimeLink(identity.database.queries, tokenOf(request), identity.clock);
  }

  async function setUp(request: FastifyRequest): Promise<Outcome> {
    const { values, errors } = checkFields(bootstrap, fieldsOf(request));
    if (errors) return { errors };
    try {
      return await useBootstrapLink(identity, { token: tokenOf(request), ...values, ...browserOf(request) });
    } catch (error) {
      return { errors: errorsOf(error, Object.keys(values)) };
    }
  }

  /** Signs a person in; an empty password field keeps their current password. */
  async function signInByLink(request: FastifyRequest): Promise<Outcome> {
    const { password, endKeys } = fieldsOf(request);
    const use = { token: tokenOf(request), password: password || undefined, endKeys: endKeys === 'true' };
    try {
      return await useSignInLink(
        { ...identity, revokeGrants: revokeGrantsOf },
        { ...use, ...browserOf(request) },
      );
    } catch (error) {
      return { errors: errorsOf(error, ['password']) };
    }
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    link: OneTimeLinkState,
    fields: Fields,
    errors?: FieldErrors,
  ): FastifyReply {
    if (link.state !== 'valid')
      return sendPage(reply, deadLinkPage(link.state), { status: link.state === 'unknown' ? 404 : 410 });
    const csrf = context.tokens.issue(visitorOf(request), purposeOf(request));
    const view = { action: pathOf(request), csrf, errors };
    const page =
      link.purpose === 'bootstrap'
        ? bootstrapPage({ ...view, ...enteredValues(fields) })
        : signInLinkPage({ ...view, ...link, endKeys: fields['endKeys'] === 'true' });
    return sendPage(reply, page, { status: errors === undefined ? 200 : 400 });
  }
}

type Outcome =
  | { readonly token: string; readonly errors?: undefined }
  | { readonly token?: undefined; readonly errors: FieldErrors };

/** Returns the entered values except the password. */
function enteredValues({ email, orgName, orgSlug = '' }: Fields) {
  return { email, orgName, orgSlug };
}
