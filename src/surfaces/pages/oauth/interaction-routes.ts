import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { userOrganizations } from '../../../features/identity/people/membership-store.ts';
import type { PendingAuthorization } from '../../../features/oauth/authorization-server.ts';
import { oauthPaths } from '../../../features/oauth/endpoints.ts';
import { expiredAuthorization } from '../../../features/oauth/expired-authorization.ts';
import { InvalidInput, NotFound } from '../../../foundation/kernel/errors.ts';
import type { FormRule } from '../kit/requests/form-guard.ts';
import { leave } from '../kit/requests/leave.ts';
import { fieldsOf, visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import { pagePaths, pathWith, signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { isSignedIn, type Person, signedInPerson } from '../signed-in-person.ts';
import { type InteractionView, interactionPage } from './interaction-page.ts';

const { interaction: route } = pagePaths;

const uidOf = (request: FastifyRequest): string => textParameter(request.params, 'uid') ?? '';
const pathOf = (request: FastifyRequest): string => pathWith(route, uidOf(request));
const purposeOf = (request: FastifyRequest): string => `interaction ${uidOf(request)}`;

const rule: FormRule = { purpose: purposeOf, page: pathOf };

/** Registers the authorization page. A decision applies to this authorization only, never to the session. */
export function interactionRoutes(server: FastifyInstance, context: PageContext): void {
  const { oauth } = context;

  server.get(route, { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request);
    const pending = await oauth.pending(request.raw, reply.raw, visitor.session?.userId);
    if (pending === undefined) throw new NotFound(expiredAuthorization);
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(pathOf(request)));
    return show(request, reply, visitor, pending, {});
  });

  server.post(route, { schema: { hide: true }, config: { form: rule } }, async (request, reply) => {
    const visitor = visitorOf(request);
    const pending = await oauth.pending(request.raw, reply.raw, visitor.session?.userId);
    if (pending === undefined) return leaveTo(request, reply, await answeredUrl(request, reply));
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(pathOf(request)));
    const { decision, organization: slug } = fieldsOf(request);
    if (decision === 'deny') return leaveTo(request, reply, await oauth.deny(request.raw, reply.raw));
    if (decision !== undefined && decision !== 'allow') throw new InvalidInput('Choose Allow or Deny.');

    const organization = (await organizationsOf(visitor)).find((candidate) => candidate.slug === slug);
    if (organization === undefined) {
      const errors = { organization: 'Choose one of your organizations.' };
      return show(request, reply, visitor, pending, { errors }, 400);
    }
    if (decision === undefined) return show(request, reply, visitor, pending, { chosen: slug });
    const { organizationId } = organization;
    const { userId } = visitor.session;
    const allowed = { userId, organizationId, address: request.ip };
    return leaveTo(request, reply, await oauth.allow(request.raw, reply.raw, allowed));
  });

  // The page after a decision leads here. Repeatable for a minute, for a person whose app did not open.
  server.get(`${route}/continue`, { schema: { hide: true } }, async (request, reply) =>
    seeOther(reply, await answeredUrl(request, reply)),
  );

  /**
   * Returns where the decision led, for a form that is submitted again. Called once nothing is pending: another click
   * may decide at any moment before. @throws NotFound if this browser and user decided nothing
   */
  async function answeredUrl(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const { session } = visitorOf(request);
    const url = session && (await oauth.answered(request.raw, reply.raw, session.userId));
    if (url !== undefined) return url;
    throw new NotFound(expiredAuthorization);
  }

  function organizationsOf({ session }: Person) {
    return userOrganizations(context.identity.database.queries, session.userId);
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Person,
    pending: PendingAuthorization,
    state: Pick<InteractionView, 'chosen' | 'errors'>,
    status = 200,
  ): Promise<FastifyReply> {
    const action = pathOf(request);
    const page = interactionPage({
      ...state,
      action,
      csrf: context.tokens.issue(visitor, purposeOf(request)),
      pending,
      organizations: await organizationsOf(visitor),
      person: signedInPerson(context, visitor, action),
    });
    return sendPage(reply, page, { status });
  }
}

/** Leads to the client by way of a new navigation, and to the last page of a device directly: it is of this service. */
function leaveTo(request: FastifyRequest, reply: FastifyReply, url: string): FastifyReply {
  const isToClient = new URL(url).pathname.startsWith(`${oauthPaths.authorize}/`);
  if (!isToClient) return seeOther(reply, url);
  const message = 'Your decision is saved. This page leads back to the client.';
  return leave(request, reply, { url, href: `${pathOf(request)}/continue`, message });
}
