import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { problemResponses } from './problem.ts';

const protectedResource = z
  .object({
    resource: z.url(),
    authorization_servers: z.array(z.url()),
    bearer_methods_supported: z.array(z.literal('header')),
    scopes_supported: z.array(z.string()),
    resource_name: z.string(),
  })
  .meta({ id: 'ProtectedResource' });

/** Seconds. Long enough to spare a client the second look, short enough for a change of AUTH_BASE_URL. */
const maxAge = 300;

const path = '/.well-known/oauth-protected-resource';

/**
 * RFC 9728: where clients learn who signs people in. Every URL is built from AUTH_BASE_URL alone; what a request
 * says of its host could make a client trust another issuer. `offline_access` is not a scope of a resource, so it
 * is not listed (contract section 4).
 */
export function discoveryRoutes(baseUrl: string): FastifyPluginAsyncZod {
  const common = {
    authorization_servers: [baseUrl],
    bearer_methods_supported: ['header' as const],
  };
  const mcp = {
    resource: `${baseUrl}/mcp`,
    ...common,
    scopes_supported: ['mcp'],
    resource_name: 'orgctx MCP',
  };
  const rest = { resource: baseUrl, ...common, scopes_supported: ['api'], resource_name: 'orgctx REST' };

  return async (server) => {
    server.get(
      `${path}/mcp`,
      describe('getMcpResource', 'RFC 9728 metadata of /mcp'),
      async (_request, reply) => {
        reply.header('cache-control', `public, max-age=${maxAge}`);
        return mcp;
      },
    );
    server.get(
      path,
      describe('getRestResource', 'RFC 9728 metadata of the REST interface'),
      async (_request, reply) => {
        reply.header('cache-control', `public, max-age=${maxAge}`);
        return rest;
      },
    );
  };
}

function describe(operationId: string, summary: string) {
  return {
    config: { unlimitedByAddress: true },
    schema: {
      operationId,
      tags: ['Discovery'],
      summary,
      security: [],
      response: { 200: protectedResource, ...problemResponses() },
    },
  };
}
