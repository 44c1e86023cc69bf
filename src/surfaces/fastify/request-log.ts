import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withTracePlace } from '../../foundation/telemetry/trace-context.ts';
import { pathOf } from './request-path.ts';

/**
 * One line a request. No body, no header and no query: search texts are the callers' own, and a query is where a
 * misplaced token would be.
 */
export function logRequests(server: FastifyInstance): void {
  server.addHook('onResponse', async (request, reply) => {
    const fields = {
      method: request.method,
      path: loggedPath(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      userId: request.access?.principal.userId,
    };
    const write = (): void => request.log.info(fields, 'request');
    // The end of an answer is an event of the socket, outside of the request's trace.
    if (request.trace === undefined) write();
    else withTracePlace(request.trace, write);
  });
}

/** The token of a one-time link or an invitation, also where a segment too many or another method leads to no route. */
const secretPaths = /^(\/\.auth\/(?:link|invitation)\/).+$/i;

function loggedPath(request: FastifyRequest): string {
  return pathOf(request).replace(secretPaths, '$1[redacted]');
}
