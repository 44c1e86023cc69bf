import type { FastifyReply, FastifyRequest } from 'fastify';
import { Forbidden, MethodNotAllowed, OrgctxError, Unauthenticated } from '../../foundation/kernel/errors.ts';
import { faultOfFramework } from '../fastify/framework-fault.ts';
import { logFault } from '../fastify/log-fault.ts';
import { problemOf, sendProblem } from '../fastify/problem.ts';
import { pathOf } from '../fastify/request-path.ts';
import { retryAfterOf } from '../fastify/retry-after.ts';
import { bearerChallenge } from './challenge.ts';

/** Translates whatever was thrown into problem+json (RFC 9457): the one place of this surface that does. */
export function errorHandler(baseUrl: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = error instanceof OrgctxError ? error : faultOfFramework(error);
    if (reply.raw.destroyed) request.log.debug({ err: error }, 'caller left');
    else (request.routeOptions.config?.logFault ?? logFault)(fault ?? error, request.log);
    if (fault === undefined) return sendProblem(reply, problemOf(undefined, request.id));

    for (const [name, value] of headersOf(fault, baseUrl, request)) reply.header(name, value);
    return sendProblem(reply, problemOf(fault, request.id));
  };
}

function headersOf(
  fault: OrgctxError,
  baseUrl: string,
  request: FastifyRequest,
): readonly (readonly [string, string])[] {
  if (fault instanceof Unauthenticated || (fault instanceof Forbidden && fault.requiredScopes.length > 0)) {
    return [['www-authenticate', challengeOf(fault, baseUrl, request)]];
  }
  if (fault instanceof MethodNotAllowed) return [['allow', fault.allow.join(', ')]];
  const wait = retryAfterOf(fault);
  return wait === undefined ? [] : [['retry-after', wait]];
}

function challengeOf(fault: Unauthenticated | Forbidden, baseUrl: string, request: FastifyRequest): string {
  const mcp = pathOf(request) === '/mcp';
  const scope = fault instanceof Forbidden ? fault.requiredScopes : [mcp ? 'mcp' : 'api'];
  return bearerChallenge({
    baseUrl,
    resourcePath: mcp ? '/mcp' : '',
    scope,
    ...refusalOf(fault),
  });
}

/**
 * RFC 6750 section 3.1: a request without any credential is told no error code. It is told in words what to do: people
 * see these where a client gives up.
 */
function refusalOf(fault: Unauthenticated | Forbidden) {
  if (fault.code === 'unauthenticated') return { errorDescription: fault.message };
  const error = fault instanceof Forbidden ? 'insufficient_scope' : 'invalid_token';
  return { error, errorDescription: fault.message } as const;
}
