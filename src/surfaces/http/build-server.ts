import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import type { Config } from '../../foundation/config/config.ts';
import { telemetryOff } from '../../foundation/telemetry/telemetry.ts';
import { answerClientError } from '../fastify/client-error.ts';
import { endConnectionsOnClose } from '../fastify/closing.ts';
import { createOrderedServer } from '../fastify/ordered-server.ts';
import { decorateRequests } from '../fastify/request-fields.ts';
import { logRequest, logRequests } from '../fastify/request-log.ts';
import { schemaController } from '../fastify/schema-compilers.ts';
import { openBodyBudget } from '../fastify/take-bodies.ts';
import { traceRequests } from '../fastify/trace-requests.ts';
import { orgApi } from './api/org-api.ts';
import { callerRoutes } from './api/people/caller-routes.ts';
import { apiReferenceRoutes } from './api-reference/api-reference-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import type { HttpDeps } from './http-deps.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { describeApi, openapiRoutes } from './openapi.ts';
import { answerConditionally } from './requests/conditional.ts';
import { errorHandler } from './requests/error-handler.ts';
import { normalizeForwardedFor } from './requests/forwarded-for.ts';
import { guardOrigins, originRules } from './requests/origins.ts';
import { limitRates, type RateLimits, rateLimits } from './requests/rate-limits.ts';
import { setSecurityHeaders } from './requests/security-headers.ts';
import { withoutTrailingSlash } from './requests/trailing-slash.ts';
import { refuseUnserved } from './requests/unserved.ts';
import { refuseTokenInUrl } from './requests/url-tokens.ts';
import { recordRoutes } from './route-table.ts';
import { statusRoutes } from './status-routes.ts';
import { type WebhookOptions, webhookRoutes } from './webhooks/webhook-routes.ts';

export interface HttpOptions {
  /** Surfaces that `app` registers in addition to REST, such as /mcp. They set `request.access`. */
  readonly plugins?: readonly { readonly name: string; readonly plugin: FastifyPluginAsync }[];
  /** Default: `rateLimits`. */
  readonly limits?: RateLimits;
  readonly webhooks?: WebhookOptions;
}

/** Maximum size of a REST body, in bytes (contract section 3). */
const bodyLimit = 1024 * 1024;

/** Maximum length of a parameter of a path: the key of an entity has up to 1,024 bytes, each encoded as three. */
const maxParamLength = 3 * 1024;

const timeouts = {
  /** Time-outs for receiving a request and its headers, and the interval of checking them, in milliseconds. */
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  /**
   * Idle time-out of a connection, in milliseconds. Exceeds that of common reverse proxies (60 s), so that they close
   * first.
   */
  keepAliveTimeout: 72_000,
};

/**
 * Builds the HTTP server without listening. Every route is registered regardless of the configuration.
 * Checks run in the order of contract section 4: Origin, a token in the URL, the limit by address, then those of the
 * surface (credential, organization, role), then the limits by credential and user.
 */
export async function buildHttpServer(deps: HttpDeps, options: HttpOptions = {}): Promise<FastifyInstance> {
  const { baseUrl } = deps.config;
  const server = createServer(deps);
  recordRoutes(server);
  if (deps.config.http.trustProxy !== false) normalizeForwardedFor(server);
  traceRequests(server, deps.telemetry ?? telemetryOff);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  logRequests(server);
  deps.recent?.record(server);
  endConnectionsOnClose(server);
  await setSecurityHeaders(server, baseUrl);
  await guardOrigins(server, originRules(deps.config));
  server.addHook('onRequest', refuseTokenInUrl);
  await limitRates(server, options.limits ?? rateLimits);
  openBodyBudget(server);
  answerConditionally(server);
  await describeApi(server, { baseUrl, version: deps.status.version });

  await server.register(statusRoutes(deps.status));
  await server.register(discoveryRoutes(baseUrl, deps.oauth.metadata));
  await server.register(oauthRoutes(deps.oauth));
  await server.register(openapiRoutes());
  await server.register(apiReferenceRoutes());
  await server.register(orgApi(deps), { prefix: '/:orgSlug/api/v1' });
  await server.register(callerRoutes(deps.identity), { prefix: '/api/v1' });
  await server.register(webhookRoutes(deps.intake, options.webhooks), { prefix: '/api/v1/webhook' });
  for (const { name, plugin } of options.plugins ?? []) {
    await server.register(plugin);
    deps.log.debug({ surface: name }, 'surface mounted');
  }
  refuseUnserved(server, deps.oauth.pages);
  await server.ready();
  return server;
}

function createServer({ config, log }: HttpDeps): FastifyInstance {
  const onError = errorHandler(config.baseUrl);
  const loggerInstance: FastifyBaseLogger = log;
  const server: FastifyInstance = Fastify({
    loggerInstance,
    schemaController,
    trustProxy: trustedProxies(config.http.trustProxy),
    bodyLimit,
    routerOptions: { maxParamLength },
    serverFactory: (handler) => createOrderedServer(timeouts, withoutTrailingSlash(handler)),
    // The id is never taken from the caller, because it must be unique in the log.
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    logController: new Fastify.LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // Requests that arrive while the server closes are still handled; /.status tells load balancers to use another
    // server.
    return503OnClosing: false,
    // Fastify calls no hooks for a path that it cannot decode or whose parameter is too long.
    frameworkErrors: (error, request, reply) => {
      void onError(error, request, reply.header('x-request-id', request.id));
      logRequest(request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  server.setErrorHandler(onError);
  // Only the surfaces that take bodies read them, each within its limits; a path without a route reads none.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _body, done) => done(null));
  decorateRequests(server);
  return server;
}

/**
 * Converts TRUST_PROXY for Fastify. A hop count trusts that many of the nearest proxies; `true` trusts the nearest
 * one, never all of them, because the far end of X-Forwarded-For is written by the caller.
 */
function trustedProxies(setting: Config['http']['trustProxy']) {
  if (typeof setting === 'object') return [...setting];
  return (_address: string, hop: number) => hop < Number(setting);
}
