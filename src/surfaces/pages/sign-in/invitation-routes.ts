import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  acceptInvitation,
  acceptInvitationAsNewcomer,
} from '../../../features/identity/invitations/accept-invitation.ts';
import type { InvitationState } from '../../../features/identity/invitations/invitation.ts';
import { inspectInvitation } from '../../../features/identity/invitations/invitation-store.ts';
import { browserOf } from '../browser-of.ts';
import { checkFields, errorsOf, typedPassword } from '../kit/forms/check-fields.ts';
import type { FieldErrors } from '../kit/forms/form.ts';
import type { Page } from '../kit/html/layout.ts';
import type { FormRule } from '../kit/requests/form-guard.ts';
import { fieldsOf, visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import { pagePaths, pathWith, signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { isSignedIn, signedInPerson } from '../signed-in-person.ts';
import { enterSession } from './enter-session.ts';
import {
  deadInvitationPage,
  joinPage,
  newcomerPage,
  otherPersonPage,
  signInFirstPage,
} from './invitation-page.ts';

const { invitation: route, start: landing } = pagePaths;

const tokenOf = (request: FastifyRequest): string => textParameter(request.params, 'token') ?? '';
const pathOf = (request: FastifyRequest): string => pathWith(route, tokenOf(request));
const purposeOf = (request: FastifyRequest): string => `invitation ${tokenOf(request)}`;

const rule: FormRule = { purpose: purposeOf, page: pathOf };
const newcomer = z.object({ password: typedPassword('Choose a password.') });

/** Registers the invitation page. Only the owner of the invited address can join, and only by submitting the form. */
export function invitationRoutes(server: FastifyInstance, context: PageContext): void {
  const { identity, tokens } = context;

  server.get(route, { schema: { hide: true } }, async (request, reply) =>
    show(request, reply, await inspect(request)),
  );

  server.post(route, { schema: { hide: true }, config: { form: rule } }, async (request, reply) => {
    const invitation = await inspect(request);
    const { session } = visitorOf(request);
    if (invitation.state !== 'valid') return show(request, reply, invitation);
    if (session === undefined) return joinAsNewcomer(request, reply, invitation);
    await acceptInvitation(identity, {
      token: tokenOf(request),
      userId: session.userId,
      address: request.ip,
    });
    return seeOther(reply, landing);
  });

  function inspect(request: FastifyRequest): Promise<InvitationState> {
    return inspectInvitation(identity.database.queries, tokenOf(request), identity.clock);
  }

  async function joinAsNewcomer(
    request: FastifyRequest,
    reply: FastifyReply,
    invitation: InvitationState,
  ): Promise<FastifyReply> {
    const { values, errors } = checkFields(newcomer, fieldsOf(request));
    if (errors) return show(request, reply, invitation, errors);
    try {
      const acceptance = { token: tokenOf(request), ...values, ...browserOf(request) };
      const { token } = await acceptInvitationAsNewcomer(identity, acceptance);
      await enterSession(context, request, reply, token);
      return seeOther(reply, landing);
    } catch (error) {
      return show(request, reply, invitation, errorsOf(error, ['password']));
    }
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    invitation: InvitationState,
    errors?: FieldErrors,
  ): FastifyReply {
    if (invitation.state !== 'valid')
      return sendPage(reply, deadInvitationPage(), { status: invitation.state === 'unknown' ? 404 : 410 });
    const page = pageFor(request, invitation, errors);
    return sendPage(reply, page, { status: errors === undefined ? 200 : 400 });
  }

  function pageFor(request: FastifyRequest, invited: ValidInvitation, errors: FieldErrors | undefined): Page {
    const visitor = visitorOf(request);
    const action = pathOf(request);
    const form = { action, csrf: tokens.issue(visitor, purposeOf(request)), errors };
    if (!isSignedIn(visitor))
      return invited.known ? signInFirstPage(invited, signInPath(action)) : newcomerPage(invited, form);
    const person = signedInPerson(context, visitor, action);
    return visitor.session.email === invited.email
      ? joinPage(invited, person, form)
      : otherPersonPage(invited, person);
  }
}

type ValidInvitation = Extract<InvitationState, { state: 'valid' }>;
