import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { userOrganizations } from '../../features/identity/people/membership-store.ts';
import type { PendingAuthorization } from '../../features/oauth/authorization-server.ts';
import { expiredAuthorization } from '../../features/oauth/expired-authorization.ts';
import { InvalidInput, NotFound } from '../../foundation/kernel/errors.ts';
import { type InteractionView, interactionPage } from './interaction-page.ts';
import type { FormRule } from './kit/form-guard.ts';
import { fieldsOf, visitorOf } from './kit/page-scope.ts';
import { seeOther, sendPage } from './kit/send-page.ts';
import { textParameter } from './kit/text-parameter.ts';
import { pagePaths, pathWith, signInPath } from './page-paths.ts';
import type { PageContext } from './pages-deps.ts';
import { isSignedIn, type Person, signedInPerson } from './signed-in-person.ts';

const { interaction: route } = pagePaths;

const uidOf = (request: FastifyRequest): string => textParameter(request.params, 'uid') ?? '';
const pathOf = (request: FastifyRequest): string => pathWith(route, uidOf(request));
const purposeOf = (request: FastifyRequest): string => `interaction ${uidOf(request)}`;

const rule: FormRule = { purpose: purposeOf, page: pathOf };

/** The one page of an authorization. What it decides holds for this authorization alone, never for the session. */
export function interactionRoutes(server: FastifyInstance, context: PageContext): void {
  const { oauth } = context;

  server.get(route, { schema: { hide: true } }, async (request, reply) => {
    const pending = await pendingOf(request, reply);
    const visitor = visitorOf(request);
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(pathOf(request)));
    return show(request, reply, visitor, pending, {});
  });

  server.post(route, { schema: { hide: true }, config: { form: rule } }, async (request, reply) => {
    const visitor = visitorOf(request);
    const again = visitor.session && (await oauth.answered(request.raw, reply.raw, visitor.session.userId));
    if (again !== undefined) return seeOther(reply, again);
    const pending = await pendingOf(request, reply);
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(pathOf(request)));
    const { decision, organization: slug } = fieldsOf(request);
    if (decision === 'deny') return seeOther(reply, await oauth.deny(request.raw, reply.raw));
    if (decision !== undefined && decision !== 'allow') throw new InvalidInput('Choose to allow or to deny.');

    const organization = (await organizationsOf(visitor)).find((candidate) => candidate.slug === slug);
    if (organization === undefined) {
      const faults = { organization: 'Choose one of your organizations.' };
      return show(request, reply, visitor, pending, { faults }, 400);
    }
    if (decision === undefined) return show(request, reply, visitor, pending, { chosen: slug });
    const { organizationId } = organization;
    const { userId } = visitor.session;
    const allowed = { userId, organizationId, address: request.ip };
    return seeOther(reply, await oauth.allow(request.raw, reply.raw, allowed));
  });

  /** @throws NotFound where nothing waits under that id in this browser. */
  async function pendingOf(request: FastifyRequest, reply: FastifyReply): Promise<PendingAuthorization> {
    const pending = await oauth.pending(request.raw, reply.raw);
    if (pending !== undefined) return pending;
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
    state: Pick<InteractionView, 'chosen' | 'faults'>,
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
    return sendPage(reply, page, { status, formAction: pending.formAction });
  }
}
