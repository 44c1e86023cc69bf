import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasSlugFormat } from '../../features/identity/people/organization.ts';
import { isUuid } from '../../foundation/kernel/ids.ts';
import { withTracePlace } from '../../foundation/telemetry/trace-context.ts';
import { pathOf } from './request-path.ts';

/**
 * Logs one line per request, without body, headers and query: search texts are private, and a query may contain a
 * misplaced token. The path is made of the route, so no spelling of a link brings its token into the log.
 */
export function logRequests(server: FastifyInstance): void {
  server.addHook('onResponse', async (request, reply) => logRequest(request, reply));
}

/** Logs the line of one request, for those that Fastify answers without calling hooks. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const fields = {
    method: request.method,
    path: loggedPath(request),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    userId: request.access?.principal.userId,
  };
  const write = (): void => request.log.info(fields, 'request');
  // The end of a response is an event of the socket, outside the trace of the request.
  if (request.trace === undefined) write();
  else withTracePlace(request.trace, write);
}

/** Matches the parameters of a route. */
const parameter = /:(\w+)/g;

/**
 * Returns the template of the route with the parameters that cannot be secret: the slug of the organization, and
 * UUIDs. Of a path without a route, returns the first segment if it can be a slug, as tokens cannot.
 */
export function loggedPath(request: FastifyRequest): string {
  const { url } = request.routeOptions;
  if (url === undefined || url.startsWith('*')) {
    const [, first = '', ...rest] = pathOf(request).split('/');
    return `/${hasSlugFormat(first) || first === '' ? first : '…'}${rest.length > 0 ? '/…' : ''}`;
  }
  const values = (request.params ?? {}) as Readonly<Record<string, string>>;
  return url.replaceAll(parameter, (template, name: string) => {
    const value = values[name] ?? '';
    return isUuid(value) || (name === 'orgSlug' && hasSlugFormat(value)) ? value : template;
  });
}
