import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** Returns the strong entity tag of a body (RFC 9110 section 8.8.3): it differs for every other sequence of bytes. */
export function entityTagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/**
 * Returns true if the caller has the body with this tag, as If-None-Match says (RFC 9110 section 13.1.2). A weak tag
 * equals a strong one, because proxies that compress bodies make tags weak.
 */
export function hasCurrent(request: FastifyRequest, tag: string): boolean {
  const held = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim());
  return held.includes(tag) || held.includes(`W/${tag}`) || (held.length === 1 && held[0] === '*');
}
