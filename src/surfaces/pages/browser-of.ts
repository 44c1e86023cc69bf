import type { FastifyRequest } from 'fastify';

/** From where somebody signs in, as far as proxies are trusted, for them to know their sessions by. */
export function browserOf({ ip, headers }: FastifyRequest): {
  address: string;
  userAgent: string | undefined;
} {
  return { address: ip, userAgent: headers['user-agent'] };
}
