import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** Seconds: a year. */
const hstsMaxAge = 31_536_000;

/**
 * Headers for answers that are data: nothing in them may run, load or be framed. A page loosens exactly what it
 * needs by its route's `helmet` option.
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
    // RFC 6797 section 7.2: not over http, where it means nothing and would follow a loopback name to https.
    strictTransportSecurity: baseUrl.startsWith('https:')
      ? { maxAge: hstsMaxAge, includeSubDomains: false }
      : false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
}
