import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { answerClientError } from '../fastify/client-error.ts';
import { endConnectionsOnClose } from '../fastify/closing.ts';
import { logFault } from '../fastify/log-fault.ts';
import { problemOf, sendProblem } from '../fastify/problem.ts';
import { decorateRequests } from '../fastify/request-fields.ts';
import { logRequests } from '../fastify/request-log.ts';
import { retryAfterOf } from '../fastify/retry-after.ts';
import { traceRequests } from '../fastify/trace-requests.ts';
import { faultOf } from './fault-of.ts';
import { indexRoutes } from './index-routes.ts';
import { queryRoutes } from './query-routes.ts';
import { requireSecret } from './require-secret.ts';
import type { ServiceDeps } from './service-deps.ts';

/** Bytes of a JSON body: a query that names the 10,000 repositories of an organization comes to two of them. */
const bodyLimit = 8 * 1024 ** 2;

/** Milliseconds. A whole upload may take as long as a clone; whoever stands still in one is ended before. */
const requestTimeout = 2 * 3_600_000;
const headersTimeout = 15_000;
/** Longer than callers keep a connection for reuse, so that they close first. */
const keepAliveTimeout = 72_000;

/** The code search service (`orgctx codesearch`), built and not yet listening. It calls nobody. */
export async function buildCodeSearchService(deps: ServiceDeps): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = deps.log;
  const server: FastifyInstance = Fastify({
    loggerInstance,
    bodyLimit,
    requestTimeout,
    keepAliveTimeout,
    http: { headersTimeout },
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    logController: new Fastify.LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
  });
  server.removeContentTypeParser('text/plain');
  server.setErrorHandler((error, request, reply) => {
    const fault = faultOf(error);
    if (reply.raw.destroyed) request.log.debug({ err: error }, 'caller left');
    else logFault(fault ?? error, request.log);
    const wait = retryAfterOf(fault);
    if (wait !== undefined) reply.header('retry-after', wait);
    if (fault?.status === 401) reply.header('www-authenticate', 'Bearer');
    return sendProblem(reply, problemOf(fault, request.id));
  });
  server.setNotFoundHandler(() => {
    throw new NotFound('The code search service does not serve this.');
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

/** For supervisors and load balancers: alive, and fit to be asked. */
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
