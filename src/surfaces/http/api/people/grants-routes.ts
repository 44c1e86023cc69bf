import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Access } from '../../../../features/identity/access/principal.ts';
import { actorOf } from '../../../../features/identity/audit/audit.ts';
import { grantRecord, toGrantRecord } from '../../../../features/oauth/grants/grant-record.ts';
import { listGrants } from '../../../../features/oauth/grants/grant-store.ts';
import { revokeGrant } from '../../../../features/oauth/grants/revoke-grant.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import { organizationPath, type PageQuery, pageQuery } from '../request-parts.ts';
import type { PeopleDeps } from './people-deps.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Grants'];

/**
 * Registers the routes for the grants of the caller. A client that was admitted to one organization can list and
 * revoke only grants of that organization, because the user's other organizations are not revealed to it.
 */
export function grantsRoutes(deps: PeopleDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveRemove(server, deps);
  };
}

/** Returns the user whose grants are visible, and the organization if the credential is bound to one. */
function reachOf({ principal }: Access) {
  return { userId: principal.userId, organizationId: principal.credential.organizationId };
}

const grantPage = pageRecord(grantRecord);

function serveList(server: Server, deps: PeopleDeps): void {
  server.get(
    '/grants',
    {
      config: { role: 'member' },
      schema: {
        operationId: 'listGrants',
        tags,
        summary: 'Active grants of the caller',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: grantPage, ...problemResponses(400, 401, 403, 429) },
      },
    },
    (request) => recordPage(deps, accessOf(request), request.query),
  );
}

async function recordPage({ database, clock }: PeopleDeps, access: Access, query: PageQuery) {
  const { userId, organizationId } = reachOf(access);
  const page = { ...query, organizationId };
  const { items, nextCursor } = await listGrants(database.queries, userId, page, clock());
  return { items: items.map(toGrantRecord), nextCursor };
}

function serveRemove(server: Server, deps: PeopleDeps): void {
  server.delete(
    '/grants/:id',
    {
      config: { role: 'member' },
      schema: {
        operationId: 'deleteGrant',
        tags,
        summary: 'Revoke a grant of the caller; its tokens become invalid',
        params: organizationPath.extend({ id: z.string().describe('Id of the grant.') }),
        response: {
          204: z.null().describe('Revoked, effective from the next request.'),
          ...problemResponses(401, 403, 404, 429),
        },
      },
    },
    async (request, reply) => {
      const access = accessOf(request);
      await revokeGrant(deps, { ...reachOf(access), id: request.params.id, actor: actorOf(access) });
      return reply.code(204).send(null);
    },
  );
}
