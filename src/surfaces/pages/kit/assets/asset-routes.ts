import type { FastifyPluginAsync } from 'fastify';
import { hasCurrent } from '../../../fastify/entity-tag.ts';
import { script } from './script.ts';
import { stylesheet } from './stylesheet.ts';

/** Serves the stylesheet and the script, outside the page scope: without cookies and sessions. */
export const assetRoutes: FastifyPluginAsync = async (server) => {
  for (const { path, type, body, etag } of [stylesheet, script]) {
    server.get(
      path,
      { schema: { hide: true }, config: { unlimitedByAddress: true } },
      async (request, reply) => {
        reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
        if (hasCurrent(request, etag)) return reply.code(304).send();
        return reply.type(type).send(body);
      },
    );
  }
};
