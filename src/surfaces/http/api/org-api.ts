import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { AuthenticateDeps } from '../../../features/identity/access/authenticate.ts';
import {
  requireRole,
  requireWholeOrganization,
} from '../../../features/identity/access/enter-organization.ts';
import { TooLarge } from '../../../foundation/kernel/errors.ts';
import { admitRequest, markAdmittingRoutes } from '../../fastify/admit-request.ts';
import { exceededJsonLimit } from '../../fastify/json-limits.ts';
import { takeBodies } from '../../fastify/take-bodies.ts';
import type { HttpDeps } from '../http-deps.ts';
import { contextRoutes } from './answers/context-routes.ts';
import { conversationsRoutes } from './answers/conversations-routes.ts';
import { graphRoutes } from './answers/graph-routes.ts';
import { historyRoutes } from './answers/history-routes.ts';
import { referencesRoutes } from './answers/references-routes.ts';
import { searchRoutes } from './answers/search-routes.ts';
import { apiKeysRoutes } from './people/api-keys-routes.ts';
import { auditRoutes } from './people/audit-routes.ts';
import { grantsRoutes } from './people/grants-routes.ts';
import { invitationsRoutes } from './people/invitations-routes.ts';
import { membersRoutes } from './people/members-routes.ts';
import { checkQueryEncoding } from './query-encoding.ts';
import { connectionSetupRoutes } from './sources/connection-setup-routes.ts';
import { connectionsRoutes } from './sources/connections-routes.ts';
import { githostsRoutes } from './sources/githosts-routes.ts';
import { repositoriesRoutes } from './sources/repositories-routes.ts';
import { sourceRoutes } from './sources/source-routes.ts';

/** Limits of a JSON body. The largest bodies are lists of ids or names, which have one item for each. */
const jsonLimits = { members: 5_000, depth: 64 };

/** The REST interface of an organization. Must be registered under `/:orgSlug/api/v1` (contract section 3). */
export function orgApi(deps: HttpDeps): FastifyPluginAsync {
  return async (server) => {
    admitCallers(server, deps.identity);
    takeJson(server);
    await server.register(repositoriesRoutes(deps.repositories));
    await server.register(connectionsRoutes(deps.connections));
    await server.register(connectionSetupRoutes(deps.connections));
    await server.register(githostsRoutes(deps.githosts));
    await server.register(membersRoutes(deps.people));
    await server.register(invitationsRoutes(deps.people));
    await server.register(apiKeysRoutes(deps.people));
    await server.register(grantsRoutes(deps.people));
    await server.register(auditRoutes(deps.people));
    await server.register(sourceRoutes(deps.answers));
    await server.register(searchRoutes(deps.answers));
    await server.register(historyRoutes(deps.answers));
    const advisor = { ...deps.answers, knowledge: deps.knowledge };
    await server.register(contextRoutes(advisor));
    await server.register(referencesRoutes(advisor));
    await server.register(graphRoutes(deps.knowledge));
    await server.register(conversationsRoutes({ ...deps.people, advisor }));
  };
}

/** Checks the caller of every REST route: credential, scope, organization, role, in that order. */
function admitCallers(server: FastifyInstance, identity: AuthenticateDeps): void {
  markAdmittingRoutes(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const access = await admitRequest(request, identity, { orgSlug: orgSlugOf(request), scope: 'api' });
    const { role, limitedKeys } = request.routeOptions.config;
    if (role === undefined) throw new Error(`the route ${request.routeOptions.url} declares no role`);
    // First, because the role of the user of a limited key does not count.
    if (limitedKeys !== true) requireWholeOrganization(access);
    requireRole(access, role);
    checkQueryEncoding(request.raw.url ?? '');
  });
}

function orgSlugOf(request: FastifyRequest): string {
  return (request.params as { orgSlug: string }).orgSlug;
}

/**
 * Parses JSON bodies. Accepts an empty body with `application/json`, which some clients always send; routes that need
 * a body validate it.
 * @throws TooLarge before parsing a body with too many members or levels
 */
function takeJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  takeBodies(server, 'application/json', (request, bytes) => {
    if (bytes.length === 0) return undefined;
    const exceeded = exceededJsonLimit(bytes, jsonLimits);
    if (exceeded !== undefined) throw new TooLarge(`Too large: ${exceeded}.`);
    const parsed = Promise.withResolvers<unknown>();
    void parse(request, bytes.toString('utf8'), (error, value) =>
      error === null ? parsed.resolve(value) : parsed.reject(error),
    );
    return parsed.promise;
  });
}
