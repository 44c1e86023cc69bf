import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { answerClientError } from '../fastify/client-error.ts';
import { endConnectionsOnClose } from '../fastify/closing.ts';
import { logError } from '../fastify/log-error.ts';
import { createOrderedServer } from '../fastify/ordered-server.ts';
import { problemOf, sendProblem } from '../fastify/problem.ts';
import { decorateRequests } from '../fastify/request-fields.ts';
import { logRequests } from '../fastify/request-log.ts';
import { retryAfterOf } from '../fastify/retry-after.ts';
import { schemaController } from '../fastify/schema-compilers.ts';
import { traceRequests } from '../fastify/trace-requests.ts';
import { errorOf } from './error-of.ts';
import { indexRoutes } from './index-routes.ts';
import { queryRoutes } from './query-routes.ts';
import { requireSecret } from './require-secret.ts';
import type { ServiceDeps } from './service-deps.ts';

/**
 * Maximum size of a JSON body, in bytes. A query that names the 10,000 repositories of an organization has about 2
 * MiB.
 */
const bodyLimit = 8 * 1024 ** 2;

const timeouts = {
  /**
   * Time-out of a whole request, in milliseconds. An upload may take as long as a clone; a stalled one is ended
   * earlier.
   */
  requestTimeout: 2 * 3_600_000,
  headersTimeout: 15_000,
  /** Idle time-out of a connection, in milliseconds. It exceeds that of the callers, so that they close first. */
  keepAliveTimeout: 72_000,
};

/** Builds the code search service (`orgctx codesearch`) without listening. It makes no outgoing requests. */
export async function buildCodeSearchService(deps: ServiceDeps): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = deps.log;
  const server: FastifyInstance = Fastify({
    loggerInstance,
    schemaController,
    bodyLimit,
    serverFactory: (handler) => createOrderedServer(timeouts, handler),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    logController: new Fastify.LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
  });
  server.removeContentTypeParser('text/plain');
  server.setErrorHandler((error, request, reply) => {
    const problem = errorOf(error);
    if (reply.raw.destroyed)
      request.log.debug({ err: error }, 'client disconnected before the response was sent');
    else logError(problem ?? error, request.log);
    const wait = retryAfterOf(problem);
    if (wait !== undefined) reply.header('retry-after', wait);
    if (problem?.status === 401) reply.header('www-authenticate', 'Bearer');
    return sendProblem(reply, problemOf(problem, request.id));
  });
  server.setNotFoundHandler(() => {
    throw new NotFound('The code search service has no such endpoint.');
  });
  decorateRequests(server);
  traceRequests(server, deps.telemetry);
  logRequests(server);
  endConnectionsOnClose(server);
  requireSecret(server, deps.secret);
  healthRoutes(server, deps);
  queryRoutes(server, deps);
  indexRoutes(server, deps);
  await server.ready();
  return server;
}

/** Registers the liveness and readiness probes for supervisors and load balancers. */
function healthRoutes(server: FastifyInstance, { draining, unready }: ServiceDeps): void {
  const config = { withoutSecret: true };
  server.get('/healthz', { config }, async () => ({ status: 'ok' }));
  server.get('/readyz', { config }, async (_request, reply) => {
    const reason = draining.aborted ? 'stopping' : await unready();
    reply.header('cache-control', 'no-store');
    if (reason === undefined) return { status: 'ok' };
    return reply.code(503).send({ status: 'unavailable', reason });
  });
}
