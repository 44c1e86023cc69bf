import type { FastifyCorsOptions } from '@fastify/cors';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { oauthPaths } from '../../features/oauth/endpoints.ts';
import type { Config } from '../../foundation/config/config.ts';
import { Forbidden } from '../../foundation/kernel/errors.ts';
import { pathOf } from '../fastify/request-path.ts';

export interface OriginRules {
  /** AUTH_BASE_URL and ALLOWED_ORIGINS. */
  readonly allowed: ReadonlySet<string>;
}

export function originRules(config: Pick<Config, 'baseUrl' | 'http'>): OriginRules {
  return { allowed: new Set([config.baseUrl, ...config.http.allowedOrigins].map(originOf)) };
}

/**
 * Browsers: who may call, and who may read the answer. A foreign Origin on an interface is refused before anything
 * else is done for it (MCP, DNS rebinding; contract section 4), and a request without one passes.
 */
export async function guardOrigins(server: FastifyInstance, rules: OriginRules): Promise<void> {
  server.addHook('onRequest', async (request) => {
    const { origin } = request.headers;
    if (origin === undefined || audienceOf(request) !== 'interface' || rules.allowed.has(origin)) return;
    throw new Forbidden(
      'forbidden',
      'Pages of this origin may not call this service: add the origin to ALLOWED_ORIGINS if they should.',
      { detail: { origin } },
    );
  });
  await server.register(cors, {
    delegator: (request, done) => done(null, { ...common, ...corsFor(request, rules) }),
  });
}

/** Never with credentials: cookies do not reach these routes. */
const common: FastifyCorsOptions = {
  credentials: false,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  exposedHeaders: [
    'WWW-Authenticate',
    'X-Request-Id',
    'Retry-After',
    'Mcp-Session-Id',
    'Mcp-Protocol-Version',
  ],
  // Seconds; what browsers keep at most.
  maxAge: 7200,
};

function corsFor(request: FastifyRequest, rules: OriginRules): FastifyCorsOptions {
  const { origin } = request.headers;
  const audience = audienceOf(request);
  if (audience === 'pages' || origin === undefined || isBareOptions(request)) return { origin: false };
  return { origin: audience === 'everyone' ? '*' : rules.allowed.has(origin) && origin };
}

/** An OPTIONS that is no preflight is answered like any other method. */
function isBareOptions(request: FastifyRequest): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] === undefined;
}

/** What a page of any origin may call: there is nothing in it but what the page brings itself. */
const openPaths: ReadonlySet<string> = new Set([
  oauthPaths.register,
  oauthPaths.token,
  oauthPaths.revoke,
  oauthPaths.jwks,
]);

/** Contract section 4: discovery is for everyone, /mcp and REST for listed origins; the rest is no one else's. */
function audienceOf(request: FastifyRequest): 'everyone' | 'interface' | 'pages' {
  const path = pathOf(request);
  if (path.startsWith('/.well-known/') || openPaths.has(path)) return 'everyone';
  return [request.routeOptions.url, path].some(isInterface) ? 'interface' : 'pages';
}

/**
 * Of a path or a route's pattern: whichever of them the router went by. REST is of an organization or of the caller;
 * webhooks are no interface: whoever signs them is let in.
 */
function isInterface(path = ''): boolean {
  if (path.startsWith('/api/v1/webhook/')) return false;
  return path === '/mcp' || /^(?:\/[^/]+)?\/api\/v1(?:\/|$)/.test(path);
}

/** RFC 6454 section 6.1: the ASCII serialization is what browsers send. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
