import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Access, Role } from '../../../../features/identity/access/principal.ts';
import { actorOf } from '../../../../features/identity/audit/audit.ts';
import { changeRole } from '../../../../features/identity/people/change-role.ts';
import {
  type MemberRecord,
  memberRecord,
  roleName,
  toMemberRecord,
} from '../../../../features/identity/people/member-record.ts';
import { listMembers } from '../../../../features/identity/people/member-store.ts';
import { removeMember } from '../../../../features/identity/people/remove-member.ts';
import { revokeGrantsOf } from '../../../../features/oauth/grants/grant-store.ts';
import type { OrgScope } from '../../../../foundation/kernel/org-scope.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import { organizationPath, type PageQuery, pageQuery, scopeOf, userIdOf } from '../request-parts.ts';
import type { PeopleDeps } from './people-deps.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Members'];

export function membersRoutes(deps: PeopleDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveChangeRole(server, deps);
    serveRemove(server, deps);
  };
}

const memberPath = organizationPath.extend({ userId: z.string().describe('Id of the user.') });
const memberPage = pageRecord(memberRecord);

function serveList(server: Server, deps: PeopleDeps): void {
  server.get(
    '/members',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'listMembers',
        tags,
        summary: 'Members of the organization',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: memberPage, ...problemResponses(400, 401, 403, 429) },
      },
    },
    (request) => recordPage(deps, scopeOf(request), request.query),
  );
}

async function recordPage({ database }: PeopleDeps, scope: OrgScope, query: PageQuery) {
  const { items, nextCursor } = await listMembers(database.queries, scope, query);
  return { items: items.map(toMemberRecord), nextCursor };
}

const newRole = z.strictObject({
  role: roleName.describe('Only owners can appoint and change owners; the last owner cannot be changed.'),
});

function serveChangeRole(server: Server, deps: PeopleDeps): void {
  server.put(
    '/members/:userId',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'updateMember',
        tags,
        summary: 'Change the role of a member',
        params: memberPath,
        body: newRole,
        response: { 200: memberRecord, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429) },
      },
    },
    (request) => recordWithRole(deps, accessOf(request), request.params.userId, request.body.role),
  );
}

async function recordWithRole(
  deps: PeopleDeps,
  access: Access,
  userId: string,
  role: Role,
): Promise<MemberRecord> {
  const change = { userId: userIdOf(userId), role };
  return toMemberRecord(await changeRole(deps, access.scope, actorOf(access), change));
}

function serveRemove(server: Server, deps: PeopleDeps): void {
  server.delete(
    '/members/:userId',
    {
      // Every member may leave; the use case checks whom else they may remove.
      config: { role: 'member' },
      schema: {
        operationId: 'deleteMember',
        tags,
        summary: 'End a membership, also your own; the last owner cannot be removed',
        params: memberPath,
        response: {
          204: z.null().describe('Ended, effective from the next request.'),
          ...problemResponses(401, 403, 404, 409, 429),
        },
      },
    },
    async (request, reply) => {
      const userId = userIdOf(request.params.userId);
      await removeMember(
        { ...deps, revokeGrants: revokeGrantsOf },
        scopeOf(request),
        actorOf(accessOf(request)),
        userId,
      );
      return reply.code(204).send(null);
    },
  );
}
