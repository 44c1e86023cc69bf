import type { FastifyReply } from 'fastify';

/**
 * Returns a signal that aborts if the client disconnects before the response is sent. (Fastify's own `request.signal`
 * follows the request stream, which closes as soon as a body has been read.)
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
