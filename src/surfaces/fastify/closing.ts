import type { FastifyInstance } from 'fastify';

/**
 * While the server closes, each answer ends its connection: a connection that stays open for reuse would hold the
 * close up until its keep-alive time is over.
 */
export function endConnectionsOnClose(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
  });
  server.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
}
