import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** One year, in seconds. */
const hstsMaxAge = 31_536_000;

/**
 * Sets the security headers of data responses: no scripts, no loading, no framing. A page relaxes them with the
 * `helmet` option of its route.
 */
export async function setSecurityHeaders(server: FastifyInstance, baseUrl: string): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    // Not over http (RFC 6797 section 7.2): it has no effect there, and would force https for loopback names.
    strictTransportSecurity: baseUrl.startsWith('https:')
      ? { maxAge: hstsMaxAge, includeSubDomains: false }
      : false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
}
