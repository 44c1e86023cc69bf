import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../../../../features/identity/audit/audit.ts';
import { invitationUrl } from '../../../../features/identity/invitations/invitation.ts';
import {
  invitationRecord,
  newInvitationRecord,
  toInvitationRecord,
} from '../../../../features/identity/invitations/invitation-record.ts';
import { listInvitations } from '../../../../features/identity/invitations/invitation-store.ts';
import { inviteMember } from '../../../../features/identity/invitations/invite-member.ts';
import { revokeInvitation } from '../../../../features/identity/invitations/revoke-invitation.ts';
import { roleName } from '../../../../features/identity/people/member-record.ts';
import type { OrgScope } from '../../../../foundation/kernel/org-scope.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import { invitationIdOf, organizationPath, type PageQuery, pageQuery, scopeOf } from '../request-parts.ts';
import type { PeopleDeps } from './people-deps.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Invitations'];

export function invitationsRoutes(deps: PeopleDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveCreate(server, deps);
    serveRemove(server, deps);
  };
}

const invitationPage = pageRecord(invitationRecord);

function serveList(server: Server, deps: PeopleDeps): void {
  server.get(
    '/invitations',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'listInvitations',
        tags,
        summary: 'Open invitations',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: invitationPage, ...problemResponses(400, 401, 403, 429) },
      },
    },
    (request) => recordPage(deps, scopeOf(request), request.query),
  );
}

async function recordPage({ database, clock }: PeopleDeps, scope: OrgScope, query: PageQuery) {
  const { items, nextCursor } = await listInvitations(database.queries, scope, query, clock());
  return { items: items.map(toInvitationRecord), nextCursor };
}

const newInvitation = z.strictObject({
  email: z.string().min(1).max(254).describe('Only the owner of this address can accept the invitation.'),
  role: roleName.describe('Only owners can invite owners.'),
});

function serveCreate(server: Server, deps: PeopleDeps): void {
  server.post(
    '/invitations',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'createInvitation',
        tags,
        summary: 'Invite a person; replaces an open invitation of the same address',
        params: organizationPath,
        body: newInvitation,
        response: { 201: newInvitationRecord, ...problemResponses(400, 401, 403, 409, 413, 415, 429) },
      },
    },
    async (request, reply) => {
      const actor = actorOf(accessOf(request));
      const { invitation, token } = await inviteMember(deps, scopeOf(request), actor, request.body);
      const link = invitationUrl(deps.appUrl, token);
      return reply.code(201).send({ ...toInvitationRecord(invitation), link });
    },
  );
}

function serveRemove(server: Server, deps: PeopleDeps): void {
  server.delete(
    '/invitations/:id',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'deleteInvitation',
        tags,
        summary: 'Withdraw an invitation',
        params: organizationPath.extend({ id: z.string().describe('Id of the invitation.') }),
        response: {
          204: z.null().describe('Its link no longer works.'),
          ...problemResponses(401, 403, 404, 429),
        },
      },
    },
    async (request, reply) => {
      const id = invitationIdOf(request.params.id);
      await revokeInvitation(deps, scopeOf(request), actorOf(accessOf(request)), id);
      return reply.code(204).send(null);
    },
  );
}
