import type { Server } from '@modelcontextprotocol/server';
import type { FastifyPluginAsync } from 'fastify';
import { MethodNotAllowed } from '../../foundation/kernel/errors.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { admitRequest, admittingRoutes } from '../fastify/admit-request.ts';
import { namedOrganization } from '../fastify/named-organization.ts';
import { accessOf } from '../fastify/request-fields.ts';
import type { McpDeps } from './deps.ts';
import { exchange } from './exchange.ts';
import { authInfoFor, mcpHandler } from './server.ts';
import { tools as productTools } from './tools/all.ts';
import type { Tool } from './tools/tool.ts';

/** Contract section 3, limits: /mcp takes 4 MiB. */
const bodyLimit = 4 * 1024 * 1024;

export interface McpRouteOptions {
  readonly deps: McpDeps;
  readonly log: Logger;
  /** Default: the product's. Test builds put others behind the same route, authentication and hooks. */
  readonly tools?: readonly Tool[];
  /** Test builds only: requests that the product does not answer. */
  readonly extend?: (server: Server) => void;
}

/**
 * The MCP endpoint. Contract section 4 fixes the order of checks: Origin and a token in the query (hooks of the HTTP
 * server, before this plugin's), then the bearer token whatever the method, then the organization, then the method;
 * all of them answer problem+json. Only what has passed them is read as JSON-RPC.
 */
export function mcpRoute({ deps, log, tools = productTools, extend }: McpRouteOptions): FastifyPluginAsync {
  const handler = mcpHandler(deps, tools, log, extend);

  return async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
      done(null, body),
    );

    admittingRoutes(server);
    server.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      await admitRequest(request, deps.identity, { orgSlug: namedOrganization(request.query), scope: 'mcp' });
    });
    server.addHook('onClose', () => handler.close());

    server.post('/mcp', { bodyLimit }, (request, reply) => {
      const authInfo = authInfoFor({ access: accessOf(request), log: request.log });
      return exchange({ handler, url: `${deps.baseUrl}/mcp`, authInfo }, request, reply);
    });
    // No stream is offered outside a call: an open GET would only hang (MCP, Streamable HTTP: 405 at once).
    server.route({
      method: ['GET', 'DELETE', 'PUT', 'PATCH'],
      url: '/mcp',
      handler: () => {
        throw new MethodNotAllowed(
          'This endpoint takes POST only; it opens no stream and keeps no session.',
          ['POST'],
        );
      },
    });
  };
}
