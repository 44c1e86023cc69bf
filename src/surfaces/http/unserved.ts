import type { FastifyInstance } from 'fastify';
import { MethodNotAllowed, NotFound } from '../../foundation/kernel/errors.ts';
import { pathOf } from '../fastify/request-path.ts';
import { methodsByPath } from './route-table.ts';

/** What no route takes: 405 where the path is served with other methods (RFC 9110 section 15.5.6), else 404. */
export function refuseUnserved(server: FastifyInstance): void {
  let methodsOf: ReturnType<typeof methodsByPath> | undefined;
  server.addHook('onReady', async () => {
    methodsOf = methodsByPath(server);
  });
  server.setNotFoundHandler((request) => {
    const allow = methodsOf?.(pathOf(request)) ?? [];
    if (allow.length > 0) throw new MethodNotAllowed(`This path takes ${allow.join(', ')} only.`, allow);
    throw new NotFound('Nothing is served at this path. /openapi.json lists the REST interface.');
  });
}
