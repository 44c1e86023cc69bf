import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrgctxError, RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';
import { logFault } from '../fastify/log-fault.ts';
import { faultOfFramework } from './framework-fault.ts';

/**
 * What is refused before the authorization server sees it (limits, requests that are no HTTP of ours), in the form that
 * OAuth clients read: RFC 6749 section 5.2.
 */
export function sendOauthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = error instanceof OrgctxError ? error : faultOfFramework(error);
  (request.routeOptions.config.logFault ?? logFault)(fault ?? error, request.log);
  const wait = fault instanceof RateLimited || fault instanceof Unavailable ? fault.retryAfter : undefined;
  if (wait !== undefined) reply.header('retry-after', String(Math.ceil(wait)));
  return reply
    .code(fault?.status ?? 500)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        error: codeOf(fault?.status ?? 500),
        error_description: fault?.message ?? 'the service could not do this',
      }),
    );
}

/** RFC 6749 has no word for too many requests: this one says that it will pass. */
function codeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
