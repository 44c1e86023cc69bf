import type { FastifyRequest } from 'fastify';

/** Returns the address (as far as proxies are trusted) and the user agent of a sign-in, to identify its session. */
export function browserOf({ ip, headers }: FastifyRequest): {
  address: string;
  userAgent: string | undefined;
} {
  return { address: ip, userAgent: headers['user-agent'] };
}
