import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import { oauthPaths } from '../../features/oauth/endpoints.ts';
import { pageHeaders } from '../fastify/page-headers.ts';
import { sendOauthError } from './oauth-errors.ts';

/** What a route answers with where it answers a browser, or a program. */
type Audience = 'browser' | 'program';

const endpoints: readonly {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly audience: Audience;
}[] = [
  { method: 'GET', path: oauthPaths.authorize, audience: 'browser' },
  { method: 'GET', path: `${oauthPaths.authorize}/:uid`, audience: 'browser' },
  { method: 'POST', path: oauthPaths.token, audience: 'program' },
  { method: 'POST', path: oauthPaths.register, audience: 'program' },
  { method: 'POST', path: oauthPaths.revoke, audience: 'program' },
  { method: 'GET', path: oauthPaths.jwks, audience: 'program' },
  { method: 'POST', path: oauthPaths.deviceAuthorization, audience: 'program' },
  { method: 'GET', path: oauthPaths.device, audience: 'browser' },
  { method: 'POST', path: oauthPaths.device, audience: 'browser' },
  { method: 'GET', path: oauthPaths.deviceDone, audience: 'browser' },
];

/**
 * The endpoints of the authorization server. It writes its answers itself, so the headers that hooks have set are put
 * on the raw answer first; the request's body is its own to read.
 */
export function oauthRoutes(oauth: AuthorizationServer): FastifyPluginAsync {
  return async (server) => {
    server.setErrorHandler(sendOauthError);
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, _body, done) => done(null));
    server.addHook('onClose', () => oauth.close());
    for (const { method, path, audience } of endpoints) {
      server.route({
        method,
        url: path,
        schema: { hide: true },
        config: { authorizationServer: true },
        handler: (request, reply) => answer(oauth, audience, request, reply),
      });
    }
  };
}

async function answer(
  oauth: AuthorizationServer,
  audience: Audience,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (audience === 'browser') reply.headers(pageHeaders());
  reply.removeHeader('content-type');
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  try {
    await oauth.handle(request.raw, reply.raw, { address: request.ip, requestId: request.id });
  } catch (error) {
    if (request.raw.destroyed || reply.raw.destroyed) {
      request.log.debug({ err: error }, 'caller left');
      return;
    }
    request.log.error({ err: error }, 'request failed');
    fail(reply);
  }
}

/** RFC 6749 has no member for a request id; it stands in X-Request-Id. */
function fail({ raw }: FastifyReply): void {
  if (raw.headersSent) return void raw.destroy();
  raw.statusCode = 500;
  raw.setHeader('content-type', 'application/json; charset=utf-8');
  raw.setHeader('cache-control', 'no-store');
  raw.end(JSON.stringify({ error: 'server_error', error_description: 'the service could not do this' }));
}
