import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import {
  protocolFault,
  protocolHeader,
  protocolNumber,
} from '../../backends/codesearch/remote/protocol/version.ts';
import { Conflict, Unauthenticated } from '../../foundation/kernel/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `true` for what a supervisor asks, who has no secret: it tells nothing but yes or no. */
    withoutSecret?: boolean;
  }
}

/**
 * Nobody gets further without CODESEARCH_SECRET, not even to a path that is not served; then the versions must agree.
 * It is compared as a digest, in constant time: neither its length nor how far a guess was right shows.
 */
export function requireSecret(server: FastifyInstance, secret: string): void {
  const expected = digest(`Bearer ${secret}`);
  server.addHook('onRequest', async (request, reply) => {
    reply.header(protocolHeader, String(protocolNumber));
    if (request.routeOptions.config?.withoutSecret === true) return;
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      throw new Unauthenticated(
        'unauthenticated',
        'Send CODESEARCH_SECRET of this service in the header "Authorization: Bearer …".',
      );
    }
    request.joinCallersTrace?.();
    const fault = protocolFault([request.headers[protocolHeader]].flat()[0], 'service');
    if (fault !== undefined) throw new Conflict('codesearch_protocol', fault);
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
