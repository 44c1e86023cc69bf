import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Forbidden,
  MethodNotAllowed,
  OrgctxError,
  Unauthenticated,
} from '../../../foundation/kernel/errors.ts';
import { errorOfFramework } from '../../fastify/framework-error.ts';
import { logError } from '../../fastify/log-error.ts';
import { problemOf, sendProblem } from '../../fastify/problem.ts';
import { pathOf } from '../../fastify/request-path.ts';
import { retryAfterOf } from '../../fastify/retry-after.ts';
import { bearerChallenge } from './challenge.ts';
import { withNulFields } from './nul-fields.ts';

/** Converts any thrown value to problem+json (RFC 9457), for all routes of this surface. */
export function errorHandler(baseUrl: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = error instanceof OrgctxError ? error : errorOfFramework(error);
    const problem = withNulFields(known, request);
    if (reply.raw.destroyed)
      request.log.debug({ err: error }, 'client disconnected before the response was sent');
    else (request.routeOptions.config?.logError ?? logError)(problem ?? error, request.log);
    if (problem === undefined) return sendProblem(reply, problemOf(undefined, request.id));

    for (const [name, value] of headersOf(problem, baseUrl, request)) reply.header(name, value);
    return sendProblem(reply, problemOf(problem, request.id));
  };
}

function headersOf(
  problem: OrgctxError,
  baseUrl: string,
  request: FastifyRequest,
): readonly (readonly [string, string])[] {
  if (
    problem instanceof Unauthenticated ||
    (problem instanceof Forbidden && problem.requiredScopes.length > 0)
  ) {
    return [['www-authenticate', challengeOf(problem, baseUrl, request)]];
  }
  if (problem instanceof MethodNotAllowed) return [['allow', problem.allow.join(', ')]];
  const wait = retryAfterOf(problem);
  return wait === undefined ? [] : [['retry-after', wait]];
}

function challengeOf(problem: Unauthenticated | Forbidden, baseUrl: string, request: FastifyRequest): string {
  const mcp = pathOf(request) === '/mcp';
  const scope = problem instanceof Forbidden ? problem.requiredScopes : [mcp ? 'mcp' : 'api'];
  return bearerChallenge({
    baseUrl,
    resourcePath: mcp ? '/mcp' : '',
    scope,
    ...refusalOf(problem),
  });
}

/**
 * Returns the error parameters of a challenge. A request without a credential gets no error code (RFC 6750 section
 * 3.1), but a description, which people see when a client gives up.
 */
function refusalOf(problem: Unauthenticated | Forbidden) {
  if (problem.code === 'unauthenticated') return { errorDescription: problem.message };
  const error = problem instanceof Forbidden ? 'insufficient_scope' : 'invalid_token';
  return { error, errorDescription: problem.message } as const;
}
