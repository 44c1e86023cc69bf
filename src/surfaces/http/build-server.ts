import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Config } from '../../foundation/config/config.ts';
import { telemetryOff } from '../../foundation/telemetry/telemetry.ts';
import { answerClientError } from '../fastify/client-error.ts';
import { endConnectionsOnClose } from '../fastify/closing.ts';
import { decorateRequests } from '../fastify/request-fields.ts';
import { logRequests } from '../fastify/request-log.ts';
import { traceRequests } from '../fastify/trace-requests.ts';
import { callerRoutes } from './api/caller-routes.ts';
import { orgApi } from './api/org-api.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { errorHandler } from './error-handler.ts';
import type { HttpDeps } from './http-deps.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { describeApi, openapiRoutes } from './openapi.ts';
import { guardOrigins, originRules } from './origins.ts';
import { limitRates, type RateLimits, rateLimits } from './rate-limits.ts';
import { recordRoutes } from './route-table.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { statusRoutes } from './status-routes.ts';
import { refuseUnserved } from './unserved.ts';
import { refuseTokenInUrl } from './url-tokens.ts';
import { type WebhookOptions, webhookRoutes } from './webhooks/webhook-routes.ts';

export interface HttpOptions {
  /** Surfaces that `app` mounts beside REST, such as /mcp. They set `request.access`. */
  readonly plugins?: readonly { readonly name: string; readonly plugin: FastifyPluginAsync }[];
  /** Default: `rateLimits`. */
  readonly limits?: RateLimits;
  readonly webhooks?: WebhookOptions;
}

/** REST bodies, contract section 3. */
const bodyLimit = 1024 * 1024;

/** Milliseconds in which a request must have arrived, and its headers; and how often that is looked at. */
const requestTimeout = 30_000;
const headersTimeout = 15_000;
const connectionsCheckingInterval = 5_000;

/** Longer than the idle time-out of common reverse proxies (60 s), so that they close first. */
const keepAliveTimeout = 72_000;

/**
 * The HTTP server, built and not yet listening. Every route is registered whatever is configured.
 * Checks run in the order of contract section 4: Origin, a token in the URL, the limit by address, then the
 * surface's own (credential, organization, role), then the limits by credential and user.
 */
export async function buildHttpServer(deps: HttpDeps, options: HttpOptions = {}): Promise<FastifyInstance> {
  const { baseUrl } = deps.config;
  const server = createServer(deps);
  recordRoutes(server);
  traceRequests(server, deps.telemetry ?? telemetryOff);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  logRequests(server);
  endConnectionsOnClose(server);
  await setSecurityHeaders(server, baseUrl);
  await guardOrigins(server, originRules(deps.config));
  server.addHook('onRequest', refuseTokenInUrl);
  await limitRates(server, options.limits ?? rateLimits);
  await describeApi(server, { baseUrl, version: deps.status.version });

  await server.register(statusRoutes(deps.status));
  await server.register(discoveryRoutes(baseUrl, deps.oauth.metadata()));
  await server.register(oauthRoutes(deps.oauth));
  await server.register(openapiRoutes());
  await server.register(orgApi(deps), { prefix: '/:orgSlug/api/v1' });
  await server.register(callerRoutes(deps.identity), { prefix: '/api/v1' });
  await server.register(webhookRoutes(deps.intake, options.webhooks), { prefix: '/api/v1/webhook' });
  for (const { name, plugin } of options.plugins ?? []) {
    await server.register(plugin);
    deps.log.debug({ surface: name }, 'surface mounted');
  }
  refuseUnserved(server);
  await server.ready();
  return server;
}

function createServer({ config, log }: HttpDeps): FastifyInstance {
  const onError = errorHandler(config.baseUrl);
  const loggerInstance: FastifyBaseLogger = log;
  const server: FastifyInstance = Fastify({
    loggerInstance,
    trustProxy: trustedProxies(config.http.trustProxy),
    bodyLimit,
    requestTimeout,
    keepAliveTimeout,
    http: { headersTimeout, connectionsCheckingInterval },
    // Never taken from the caller: an id names one request in our log.
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    logController: new Fastify.LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // What reaches it while it closes is answered all the same; /.status tells load balancers to go elsewhere.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void onError(error, request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler(onError);
  decorateRequests(server);
  return server;
}

/**
 * A hop count trusts that many proxies, counted from this end; `true` trusts the nearest one. Never all of them: the
 * far end of X-Forwarded-For is whatever the caller wrote.
 */
function trustedProxies(setting: Config['http']['trustProxy']) {
  if (typeof setting === 'object') return [...setting];
  return (_address: string, hop: number) => hop < Number(setting);
}
