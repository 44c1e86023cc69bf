import type { FastifyInstance } from 'fastify';

/**
 * Makes each response close its connection while the server closes. A connection that stays open for reuse would
 * delay the close until its keep-alive time-out.
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
