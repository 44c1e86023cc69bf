import type { FastifyRequest } from 'fastify';

/** Scheme and authority of a target in absolute form, which a server must take (RFC 9112 section 3.2.2). */
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * The path as the router reads it: without an absolute form's origin and the query, and decoded, so that no other
 * spelling of a path passes a check that looks at it.
 */
export function pathOf({ url }: FastifyRequest): string {
  const path = url.replace(absoluteForm, '').split(/[?#]/, 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
