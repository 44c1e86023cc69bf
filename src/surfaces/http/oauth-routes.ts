import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import { oauthPaths } from '../../features/oauth/endpoints.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import { errorOfFramework } from '../fastify/framework-error.ts';
import { logError } from '../fastify/log-error.ts';
import { pageHeaders } from '../fastify/page-headers.ts';
import { closeAfterUnreadBody } from '../fastify/read-body.ts';
import { holdBodyOfStranger, readHeldBody } from '../fastify/take-bodies.ts';
import { type OAuthAnswer, oauthAnswer } from './requests/oauth-errors.ts';

/** The reader of the responses of a route. */
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
];

/** Maximum size of a body, in bytes. */
const bodyLimit = 64 * 1024;

/**
 * Registers the endpoints of the authorization server. It writes the response itself, so the headers that hooks have
 * set are copied to the raw response first.
 */
export function oauthRoutes(oauth: AuthorizationServer): FastifyPluginAsync {
  return async (server) => {
    server.removeAllContentTypeParsers();
    server.addHook('preParsing', async (request, reply) => holdBodyOfStranger(request, reply));
    server.addContentTypeParser('*', readHeldBody);
    closeAfterUnreadBody(server);
    for (const { method, path, audience } of endpoints) {
      server.route({
        method,
        url: path,
        schema: { hide: true },
        bodyLimit,
        config: { authorizationServer: true },
        errorHandler: (error, request, reply) => {
          const { status, headers, body } = refusal(oauth, audience, error, request);
          void reply.code(status).headers(headers).send(body);
        },
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
    const body = request.body instanceof Buffer ? request.body.toString('utf8') : '';
    await oauth.handle(request.raw, reply.raw, { address: request.ip, body });
  } catch (error) {
    // Checks the response only, because a request counts as destroyed once it is read to its end.
    if (reply.raw.destroyed) {
      request.log.debug({ err: error }, 'client disconnected before the response was sent');
      return;
    }
    end(reply, refusal(oauth, audience, error, request));
  }
}

/** Creates the error response. RFC 6749 has no member for a request id; clients find it in X-Request-Id. */
function refusal(
  { pages }: AuthorizationServer,
  audience: Audience,
  error: unknown,
  request: FastifyRequest,
): OAuthAnswer {
  const problem = error instanceof OrgctxError ? error : errorOfFramework(error);
  logError(problem ?? error, request.log);
  if (audience === 'program') return oauthAnswer(problem);
  const { headers, ...answered } = oauthAnswer(problem, (view) =>
    pages.error({ ...view, requestId: request.id }),
  );
  return { ...answered, headers: { ...pageHeaders(), ...headers } };
}

function end({ raw }: FastifyReply, { status, headers, body }: OAuthAnswer): void {
  if (raw.headersSent) return void raw.destroy();
  raw.writeHead(status, headers).end(body);
}
