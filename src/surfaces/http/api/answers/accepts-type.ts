import type { FastifyRequest } from 'fastify';

/** Returns whether the caller names a media type in its Accept header. */
export function acceptsType({ headers }: FastifyRequest, type: string): boolean {
  return (
    headers.accept?.split(',').some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === type) === true
  );
}
