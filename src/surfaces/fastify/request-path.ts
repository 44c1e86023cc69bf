import type { FastifyRequest } from 'fastify';

/** Scheme and authority of a target in absolute form, which a server must accept (RFC 9112 section 3.2.2). */
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Returns the path as the router reads it: decoded, and without the query and the origin of an absolute form, so that
 * checks of the path cannot be bypassed with another spelling.
 */
export function pathOf({ url }: FastifyRequest): string {
  const path = url.replace(absoluteForm, '').split(/[?#]/, 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
