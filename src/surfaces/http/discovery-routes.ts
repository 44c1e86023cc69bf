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

/** Cache duration, in seconds. Long enough to save repeated requests, short enough for a change of AUTH_BASE_URL. */
const maxAge = 300;

const path = '/.well-known/oauth-protected-resource';

/** The path of RFC 8414, and two others that clients try: the one for /mcp, and that of OpenID discovery. */
const serverPaths = {
  getAuthorizationServer: '/.well-known/oauth-authorization-server',
  getAuthorizationServerOfMcp: '/.well-known/oauth-authorization-server/mcp',
  getOpenidConfiguration: '/.well-known/openid-configuration',
} as const;

const authorizationServer = z
  .looseObject({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    registration_endpoint: z.url(),
    device_authorization_endpoint: z.url(),
    revocation_endpoint: z.url(),
    jwks_uri: z.url(),
    scopes_supported: z.array(z.string()),
  })
  .meta({ id: 'AuthorizationServer' });

/**
 * Serves the metadata of the protected resources (RFC 9728) and of the authorization server (RFC 8414). Every URL is
 * built from AUTH_BASE_URL alone, because the Host header of a request could make a client trust another issuer.
 * `offline_access` is not a scope of a resource, so it is not listed (contract section 4).
 */
export function discoveryRoutes(
  baseUrl: string,
  serverMetadata: () => Promise<Readonly<Record<string, unknown>>>,
): FastifyPluginAsyncZod {
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
      describe('getMcpResource', 'RFC 9728 metadata of /mcp', protectedResource),
      async (_request, reply) => {
        reply.header('cache-control', `public, max-age=${maxAge}`);
        return mcp;
      },
    );
    server.get(
      path,
      describe('getRestResource', 'RFC 9728 metadata of the REST interface', protectedResource),
      async (_request, reply) => {
        reply.header('cache-control', `public, max-age=${maxAge}`);
        return rest;
      },
    );
    for (const [operationId, serverPath] of Object.entries(serverPaths)) {
      const options = describe(
        operationId,
        'RFC 8414 metadata of the authorization server',
        authorizationServer,
      );
      server.get(serverPath, options, async (_request, reply) => {
        // A client that tries again after a failed sign-in must not use a former state.
        reply.header('cache-control', 'no-cache');
        return authorizationServer.parse(await serverMetadata());
      });
    }
  };
}

function describe<Answer extends z.ZodType>(operationId: string, summary: string, answer: Answer) {
  return {
    config: { unlimitedByAddress: true },
    schema: {
      operationId,
      tags: ['Discovery'],
      summary,
      security: [],
      response: { 200: answer, ...problemResponses() },
    },
  };
}
