import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { AuthenticateDeps } from '../../../features/identity/access/authenticate.ts';
import { requireRole } from '../../../features/identity/access/enter-organization.ts';
import { admitRequest, admittingRoutes } from '../../fastify/admit-request.ts';
import type { HttpDeps } from '../http-deps.ts';
import { apiKeysRoutes } from './api-keys-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { connectionsRoutes } from './connections-routes.ts';
import { contextRoutes } from './context-routes.ts';
import { grantsRoutes } from './grants-routes.ts';
import { invitationsRoutes } from './invitations-routes.ts';
import { membersRoutes } from './members-routes.ts';
import { checkQueryEncoding } from './query-encoding.ts';
import { repositoriesRoutes } from './repositories-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { sourceRoutes } from './source-routes.ts';

/** The organization's REST interface, to be registered under `/:orgSlug/api/v1` (contract section 3). */
export function orgApi(deps: HttpDeps): FastifyPluginAsync {
  return async (server) => {
    admitCallers(server, deps.identity);
    acceptEmptyJson(server);
    await server.register(repositoriesRoutes(deps.repositories));
    await server.register(connectionsRoutes(deps.connections));
    await server.register(membersRoutes(deps.people));
    await server.register(invitationsRoutes(deps.people));
    await server.register(apiKeysRoutes(deps.people));
    await server.register(grantsRoutes(deps.people));
    await server.register(auditRoutes(deps.people));
    await server.register(sourceRoutes(deps.answers));
    await server.register(searchRoutes(deps.answers));
    await server.register(contextRoutes(deps.answers));
  };
}

/** The one place where REST decides who may call: credential, scope, organization, role, in that order. */
function admitCallers(server: FastifyInstance, identity: AuthenticateDeps): void {
  admittingRoutes(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const access = await admitRequest(request, identity, { orgSlug: orgSlugOf(request), scope: 'api' });
    const { role } = request.routeOptions.config;
    if (role === undefined) throw new Error(`the route ${request.routeOptions.url} states no role`);
    requireRole(access, role);
    checkQueryEncoding(request.raw.url ?? '');
  });
}

function orgSlugOf(request: FastifyRequest): string {
  return (request.params as { orgSlug: string }).orgSlug;
}

/** Clients that always say `application/json` may do so with no body at all; a route that needs one says so itself. */
function acceptEmptyJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, String(body), done);
  });
}
