import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../../../features/identity/audit/audit.ts';
import { invitationUrl } from '../../../features/identity/invitations/invitation.ts';
import { listInvitations } from '../../../features/identity/invitations/invitation-store.ts';
import { inviteMember } from '../../../features/identity/invitations/invite-member.ts';
import { revokeInvitation } from '../../../features/identity/invitations/revoke-invitation.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { accessOf } from '../../fastify/request-fields.ts';
import { problemResponses } from '../problem.ts';
import { invitationRecord, toInvitationRecord } from './invitation-record.ts';
import { roleName } from './member-record.ts';
import type { PeopleDeps } from './people-deps.ts';
import { invitationIdOf, organizationPath, type PageQuery, pageQuery, scopeOf } from './request-parts.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Invitations'];

export function invitationsRoutes(deps: PeopleDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveCreate(server, deps);
    serveRemove(server, deps);
  };
}

const invitationPage = z.object({ items: z.array(invitationRecord), nextCursor: z.string().nullable() });

function serveList(server: Server, deps: PeopleDeps): void {
  server.get(
    '/invitations',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'listInvitations',
        tags,
        summary: 'Invitations that are open',
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
  email: z.string().min(1).max(254).describe('Who accepts it must have this address.'),
  role: roleName.describe('Only owners invite owners.'),
});

const invitationWithLink = invitationRecord
  .extend({
    link: z.string().describe('For the invited person, shown this once; it works once, within seven days.'),
  })
  .meta({ id: 'NewInvitation' });

function serveCreate(server: Server, deps: PeopleDeps): void {
  server.post(
    '/invitations',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'createInvitation',
        tags,
        summary: 'Invite someone; an open invitation of the same address ends',
        params: organizationPath,
        body: newInvitation,
        response: { 201: invitationWithLink, ...problemResponses(400, 401, 403, 409, 413, 415, 429) },
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
        summary: 'Take an invitation back',
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
