import type { Server } from '@modelcontextprotocol/server';
import type { FastifyPluginAsync } from 'fastify';
import { MethodNotAllowed } from '../../foundation/kernel/errors.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { admitRequest, markAdmittingRoutes } from '../fastify/admit-request.ts';
import { namedOrganization } from '../fastify/named-organization.ts';
import { accessOf } from '../fastify/request-fields.ts';
import { takeBodies } from '../fastify/take-bodies.ts';
import type { McpDeps } from './deps.ts';
import { exchange } from './exchange.ts';
import { authInfoFor, mcpHandler } from './server.ts';
import { tools as productTools } from './tools/all.ts';
import type { Tool } from './tools/tool.ts';

/** Maximum size of a body of /mcp, in bytes (contract section 3, limits). */
const bodyLimit = 4 * 1024 * 1024;

export interface McpRouteOptions {
  readonly deps: McpDeps;
  readonly log: Logger;
  /** Default: the tools of the product. Test builds use others with the same route, authentication and hooks. */
  readonly tools?: readonly Tool[];
  /** Registers further request handlers, for test builds only. */
  readonly extend?: (server: Server) => void;
}

/**
 * Registers the MCP endpoint. Contract section 4 defines the order of checks: Origin and a token in the query (hooks
 * of the HTTP server, before those of this plugin), then the bearer token for any method, then the organization, then
 * the method. All of them respond with problem+json. Only a request that passes them is parsed as JSON-RPC.
 */
export function mcpRoute({ deps, log, tools = productTools, extend }: McpRouteOptions): FastifyPluginAsync {
  const handler = mcpHandler(deps, tools, log, extend);

  return async (server) => {
    markAdmittingRoutes(server);
    server.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      await admitRequest(request, deps.identity, { orgSlug: namedOrganization(request.query), scope: 'mcp' });
    });
    // Any content type: the handler of the SDK refuses what is not JSON.
    takeBodies(server, '*', (_request, bytes) => bytes);
    server.addHook('onClose', () => handler.close());

    server.post('/mcp', { bodyLimit }, (request, reply) => {
      const authInfo = authInfoFor({ access: accessOf(request), log: request.log });
      return exchange({ handler, url: `${deps.baseUrl}/mcp`, authInfo }, request, reply);
    });
    // There is no stream outside a call, so GET is refused at once instead of staying open (MCP, Streamable HTTP:
    // 405).
    server.route({
      method: ['GET', 'DELETE', 'PUT', 'PATCH', 'QUERY'],
      url: '/mcp',
      onRequest: refuse,
      handler: refuse,
    });
  };
}

async function refuse(): Promise<never> {
  throw new MethodNotAllowed('This endpoint accepts POST only; it has no event stream and no sessions.', [
    'POST',
  ]);
}
