import type { FastifyInstance } from 'fastify';
import { entityTagOf, hasCurrent } from '../../fastify/entity-tag.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True for a GET route of one record or file, or of one answer of the graph: its response has an ETag, and
     * If-None-Match can be sent.
     */
    conditional?: boolean;
  }
}

/**
 * Answers conditional requests of the routes that allow them (RFC 9110 section 13). The tag is made from the response,
 * after the caller was admitted and the record was read: a request that is refused is refused as without the header.
 */
export function answerConditionally(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const applies = request.routeOptions.config?.conditional === true && reply.statusCode === 200;
    if (!applies || typeof payload !== 'string') return payload;
    const tag = entityTagOf(payload);
    // A cache of the caller may keep the response, but must ask each time whether it is current and still allowed.
    reply.headers({ etag: tag, 'cache-control': 'private, no-cache', vary: varyOf(reply.getHeader('vary')) });
    if (!hasCurrent(request, tag)) return payload;
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    // Fastify removes the body of a response to HEAD itself, and expects one here.
    return request.method === 'HEAD' ? payload : null;
  });
}

function varyOf(former: unknown): string {
  return [former, 'Authorization'].flat().filter(Boolean).join(', ');
}
