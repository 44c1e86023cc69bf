import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * One line a request. No body, no header and no query: search texts are the callers' own, and a query is where a
 * misplaced token would be.
 */
export function logRequests(server: FastifyInstance): void {
  server.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: loggedPath(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        userId: request.principal?.userId,
      },
      'request',
    );
  });
}

/** The path as it was called; a route's pattern where the path itself is the secret. */
function loggedPath(request: FastifyRequest): string | undefined {
  const { url, config } = request.routeOptions;
  if (config.secretPath === true) return url;
  return request.url.split('?', 1)[0]?.replace(secretPaths, '$1[redacted]');
}

/** What only resembles a route with a secret (one segment too many, another method) is served by none. */
const secretPaths = /^(\/\.auth\/link\/).+$/i;
