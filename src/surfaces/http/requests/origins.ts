import type { FastifyCorsOptions } from '@fastify/cors';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { oauthPaths } from '../../../features/oauth/endpoints.ts';
import type { Config } from '../../../foundation/config/config.ts';
import { Forbidden } from '../../../foundation/kernel/errors.ts';
import { pathOf } from '../../fastify/request-path.ts';

export interface OriginRules {
  /** AUTH_BASE_URL and ALLOWED_ORIGINS. */
  readonly allowed: ReadonlySet<string>;
}

export function originRules(config: Pick<Config, 'baseUrl' | 'http'>): OriginRules {
  return { allowed: new Set([config.baseUrl, ...config.http.allowedOrigins].map(originOf)) };
}

/**
 * Restricts which browser origins may call the service and read its responses. An unlisted Origin is refused on an
 * interface before any other processing (MCP, DNS rebinding; contract section 4). A request without an Origin passes.
 */
export async function guardOrigins(server: FastifyInstance, rules: OriginRules): Promise<void> {
  server.addHook('onRequest', async (request) => {
    const { origin } = request.headers;
    if (origin === undefined || audienceOf(request) !== 'interface' || rules.allowed.has(origin)) return;
    throw new Forbidden(
      'forbidden',
      'Pages of this origin may not call this service. To allow them, add the origin to ALLOWED_ORIGINS.',
      { detail: { origin } },
    );
  });
  await server.register(cors, {
    delegator: (request, done) => done(null, { ...common, ...corsFor(request, rules) }),
  });
}

/** CORS options of all routes. Credentials are never allowed: these routes do not use cookies. */
const common: FastifyCorsOptions = {
  credentials: false,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: [
    'ETag',
    'WWW-Authenticate',
    'X-Request-Id',
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
    'Mcp-Session-Id',
    'Mcp-Protocol-Version',
  ],
  // In seconds; the maximum that browsers accept.
  maxAge: 7200,
};

function corsFor(request: FastifyRequest, rules: OriginRules): FastifyCorsOptions {
  const { origin } = request.headers;
  const audience = audienceOf(request);
  if (audience === 'pages' || origin === undefined || isBareOptions(request)) return { origin: false };
  return { origin: audience === 'everyone' ? '*' : rules.allowed.has(origin) && origin };
}

/** Returns whether the request is an OPTIONS that is not a preflight; it is handled like any other method. */
function isBareOptions(request: FastifyRequest): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] === undefined;
}

/** Paths that pages of any origin may call: they use only credentials that the page sends itself. */
const openPaths: ReadonlySet<string> = new Set([
  oauthPaths.register,
  oauthPaths.token,
  oauthPaths.revoke,
  oauthPaths.jwks,
]);

/**
 * Returns who may call a path (contract section 4): discovery any origin, /mcp and REST listed origins, pages only
 * their own.
 */
function audienceOf(request: FastifyRequest): 'everyone' | 'interface' | 'pages' {
  const path = pathOf(request);
  if (path.startsWith('/.well-known/') || openPaths.has(path)) return 'everyone';
  return [request.routeOptions.url, path].some(isInterface) ? 'interface' : 'pages';
}

/**
 * Returns whether a path or a route pattern belongs to /mcp or REST (of an organization or of the caller). Webhooks
 * do not: they are authenticated by their signature. Nor do the callbacks of integrations, which are pages.
 */
function isInterface(path = ''): boolean {
  if (/^\/api\/v1\/(?:webhook|integrations)\//.test(path)) return false;
  return path === '/mcp' || /^(?:\/[^/]+)?\/api\/v1(?:\/|$)/.test(path);
}

/** Returns the ASCII serialization of an origin, as browsers send it (RFC 6454 section 6.1). */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
