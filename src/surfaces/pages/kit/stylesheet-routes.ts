import type { FastifyPluginAsync } from 'fastify';
import { stylesheet } from './stylesheet.ts';

/** Outside of the page scope: it sets no cookie and looks nobody up. */
export const stylesheetRoutes: FastifyPluginAsync = async (server) => {
  server.get(
    stylesheet.path,
    { schema: { hide: true }, config: { unlimitedByAddress: true } },
    async (request, reply) => {
      reply.headers({
        etag: stylesheet.etag,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      });
      if (request.headers['if-none-match'] === stylesheet.etag) return reply.code(304).send();
      return reply.type('text/css; charset=utf-8').send(stylesheet.body);
    },
  );
};
