import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import {
  protocolError,
  protocolHeader,
  protocolNumber,
} from '../../backends/codesearch/remote/protocol/version.ts';
import { Conflict, Unauthenticated } from '../../foundation/kernel/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for health probes: supervisors have no secret, and the response reveals only the state. */
    withoutSecret?: boolean;
  }
}

/**
 * Refuses every request without CODESEARCH_SECRET, also to unknown paths; then checks the protocol version. The
 * digests of both secrets are compared in constant time, so that timing reveals neither the length nor a matching
 * prefix.
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
    const error = protocolError([request.headers[protocolHeader]].flat()[0], 'service');
    if (error !== undefined) throw new Conflict('codesearch_protocol', error);
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
