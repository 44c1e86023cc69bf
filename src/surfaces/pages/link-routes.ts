import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { inspectOneTimeLink, type OneTimeLinkState } from '../../features/identity/sign-in/one-time-link.ts';
import { useBootstrapLink, useSignInLink } from '../../features/identity/sign-in/use-link.ts';
import { revokeGrantsOf } from '../../features/oauth/grants/grant-store.ts';
import { browserOf } from './browser-of.ts';
import { enterSession } from './enter-session.ts';
import { checkFields, faultsOf, filled, typedPassword } from './kit/check-fields.ts';
import type { Faults } from './kit/form.ts';
import type { Fields, FormRule } from './kit/form-guard.ts';
import { fieldsOf, visitorOf } from './kit/page-scope.ts';
import { seeOther, sendPage } from './kit/send-page.ts';
import { textParameter } from './kit/text-parameter.ts';
import { bootstrapPage, deadLinkPage, signInLinkPage } from './link-page.ts';
import { pagePaths, pathWith } from './page-paths.ts';
import type { PageContext } from './pages-deps.ts';

const { link: route, account: landing } = pagePaths;

/** The organization's short name where nobody has another wish. */
const usualSlug = 'local';

const tokenOf = (request: FastifyRequest): string => textParameter(request.params, 'token') ?? '';
const pathOf = (request: FastifyRequest): string => pathWith(route, tokenOf(request));
const purposeOf = (request: FastifyRequest): string => `link ${tokenOf(request)}`;

const rule: FormRule = { purpose: purposeOf, page: pathOf };

const bootstrap = z.object({
  email: filled('Enter your e-mail.', 254),
  password: typedPassword('Choose a password.'),
  orgName: filled('Enter the name of your organization.', 100),
  orgSlug: filled('Enter a short name.', 39),
});

/** Links of the operator. To look at one does not use it up, so a program that follows links spoils none. */
export function linkRoutes(server: FastifyInstance, context: PageContext): void {
  const { identity } = context;

  server.get(route, { schema: { hide: true } }, async (request, reply) => {
    return show(request, reply, await look(request), { orgSlug: usualSlug });
  });

  server.post(route, { schema: { hide: true }, config: { form: rule } }, async (request, reply) => {
    const link = await look(request);
    if (link.state !== 'valid') return show(request, reply, link, {});
    const { token, faults } =
      link.purpose === 'bootstrap' ? await setUp(request) : await signInByLink(request);
    if (token === undefined) return show(request, reply, link, fieldsOf(request), faults);
    await enterSession(context, request, reply, token);
    return seeOther(reply, landing);
  });

  function look(request: FastifyRequest): Promise<OneTimeLinkState> {
    return inspectOneTimeLink(identity.database.queries, tokenOf(request), identity.clock);
  }

  async function setUp(request: FastifyRequest): Promise<Outcome> {
    const { values, faults } = checkFields(bootstrap, fieldsOf(request));
    if (faults) return { faults };
    try {
      return await useBootstrapLink(identity, { token: tokenOf(request), ...values, ...browserOf(request) });
    } catch (error) {
      return { faults: faultsOf(error, Object.keys(values)) };
    }
  }

  /** An empty password is none: the person keeps what they have. */
  async function signInByLink(request: FastifyRequest): Promise<Outcome> {
    const { password, endKeys } = fieldsOf(request);
    const use = { token: tokenOf(request), password: password || undefined, endKeys: endKeys === 'true' };
    try {
      return await useSignInLink(
        { ...identity, revokeGrants: revokeGrantsOf },
        { ...use, ...browserOf(request) },
      );
    } catch (error) {
      return { faults: faultsOf(error, ['password']) };
    }
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    link: OneTimeLinkState,
    fields: Fields,
    faults?: Faults,
  ): FastifyReply {
    if (link.state !== 'valid')
      return sendPage(reply, deadLinkPage(link.state), { status: link.state === 'unknown' ? 404 : 410 });
    const csrf = context.tokens.issue(visitorOf(request), purposeOf(request));
    const view = { action: pathOf(request), csrf, faults };
    const page =
      link.purpose === 'bootstrap'
        ? bootstrapPage({ ...view, ...pick(fields) })
        : signInLinkPage({ ...view, email: link.email, endKeys: fields['endKeys'] === 'true' });
    return sendPage(reply, page, { status: faults === undefined ? 200 : 400 });
  }
}

type Outcome =
  | { readonly token: string; readonly faults?: undefined }
  | { readonly token?: undefined; readonly faults: Faults };

/** What was typed, but for the password. */
function pick({ email, orgName, orgSlug = '' }: Fields) {
  return { email, orgName, orgSlug };
}
