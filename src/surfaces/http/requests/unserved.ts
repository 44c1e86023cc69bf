import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthPages } from '../../../features/oauth/pages.ts';
import { MethodNotAllowed, NotFound } from '../../../foundation/kernel/errors.ts';
import { prefersType } from '../../fastify/accept.ts';
import { pageHeaders } from '../../fastify/page-headers.ts';
import { pathOf } from '../../fastify/request-path.ts';
import { methodsByPath } from '../route-table.ts';

/** Paths of REST and MCP, with or without an organization. They never answer with a page. */
const programPath = /^\/(?:[^/]+\/)?(?:api|mcp)(?:\/|$)/;

/**
 * Refuses requests without a route: 405 if the path has other methods (RFC 9110 section 15.5.6), otherwise 404. A
 * browser gets the 404 as a page. A page with a slash behind its address redirects to the address.
 */
export function refuseUnserved(server: FastifyInstance, pages: OAuthPages): void {
  let methodsOf: ReturnType<typeof methodsByPath> | undefined;
  server.addHook('onReady', async () => {
    methodsOf = methodsByPath(server);
  });
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const allow = methodsOf?.(pathOf(request)) ?? [];
    const page = addressOfPage(request);
    if (page !== undefined && methodsOf?.(page.path).includes('GET') === true) {
      return reply.header('cache-control', 'no-store').redirect(page.address, 308);
    }
    if (allow.length > 0) throw new MethodNotAllowed(`This path accepts ${allow.join(', ')} only.`, allow);
    if (isForPerson(request)) return reply.code(404).headers(pageHeaders()).send(pages.error(notFound));
    throw new NotFound('Nothing is served at this path. /openapi.json lists the REST interface.');
  };
  server.setNotFoundHandler(refuse);
  // Before Fastify reads a body: it answers the method QUERY without a content type with 400.
  server.addHook('onRequest', async (request, reply) => (request.is404 ? refuse(request, reply) : undefined));
}

/**
 * Returns the path of a page that was asked for with a slash behind it, and its address with the query of the request.
 * An address never begins with two slashes, which browsers read as another host.
 */
function addressOfPage(request: FastifyRequest): { path: string; address: string } | undefined {
  const [, path, query = ''] = /^(\/[^/\\?#][^?#]*)\/(\?[^#]*)?$/.exec(request.url) ?? [];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return !isRead || path === undefined || programPath.test(path)
    ? undefined
    : { path, address: path + query };
}

/** The page quotes nothing of the request. */
const notFound = {
  title: 'Page not found',
  message: 'There is no page at this address. Check the address for typing errors.',
  home: true,
};

/** Returns whether a browser shows the answer: only browsers name HTML in their Accept header. */
function isForPerson(request: FastifyRequest): boolean {
  return prefersType(request, 'text/html', 'application/json') && !programPath.test(pathOf(request));
}
