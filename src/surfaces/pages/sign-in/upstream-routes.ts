import type { FastifyInstance, FastifyRequest } from 'fastify';
import { beginUpstream, type UpstreamDeps } from '../../../features/identity/upstream/begin-upstream.ts';
import { finishUpstream } from '../../../features/identity/upstream/finish-upstream.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { browserOf } from '../browser-of.ts';
import { ownPath } from '../kit/requests/own-path.ts';
import { seeOther } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import { pagePaths, upstreamPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { enterSession } from './enter-session.ts';

const landing = pagePaths.start;

/** Returns the link on the sign-in page; `undefined` if no identity provider is configured. */
export function upstreamLink({ upstream }: PageContext, returnTo: string) {
  return (
    upstream && {
      host: upstream.provider.host,
      href: upstreamPath(returnTo),
    }
  );
}

/**
 * Registers the sign-in at an identity provider. A sealed cookie of the browser holds the state of the pending
 * sign-in.
 */
export function upstreamRoutes(server: FastifyInstance, context: PageContext): void {
  const { cookies } = context;

  server.get(pagePaths.upstream, { schema: { hide: true } }, async (request, reply) => {
    const returnTo = ownPath(textParameter(request.query, 'returnTo'), landing);
    const { url, sealed } = await beginUpstream(upstreamOf(context), { returnTo });
    reply.setCookie(cookies.upstream.name, sealed, cookies.upstream.options);
    return seeOther(reply, url);
  });

  server.get(pagePaths.upstreamCallback, { schema: { hide: true } }, async (request, reply) => {
    const upstream = upstreamOf(context);
    const sealed = request.cookies[cookies.upstream.name];
    reply.clearCookie(cookies.upstream.name, cookies.upstream.options);
    const answer = { query: queryOf(request), sealed, ...browserOf(request) };
    const { token, returnTo } = await finishUpstream(upstream, answer);
    await enterSession(context, request, reply, token);
    return seeOther(reply, ownPath(returnTo, landing));
  });
}

function upstreamOf({ upstream }: PageContext): UpstreamDeps {
  if (upstream !== undefined) return upstream;
  throw new NotFound('This service has no identity provider: sign in with your password.');
}

/** Returns the raw query, so that repeated parameters are detected. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}
