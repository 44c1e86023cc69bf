import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Forbidden,
  InvalidInput,
  MethodNotAllowed,
  OrgctxError,
  Unauthenticated,
} from '../../foundation/kernel/errors.ts';
import { logFault } from '../fastify/log-fault.ts';
import { retryAfterOf } from '../fastify/retry-after.ts';
import { bearerChallenge } from './challenge.ts';
import { faultOfFramework } from './framework-fault.ts';
import { type Problem, sendProblem } from './problem.ts';
import { pathOf } from './request-path.ts';

/** Translates whatever was thrown into problem+json (RFC 9457): the one place of this surface that does. */
export function errorHandler(baseUrl: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = error instanceof OrgctxError ? error : faultOfFramework(error);
    if (reply.raw.destroyed) request.log.debug({ err: error }, 'caller left');
    else (request.routeOptions.config?.logFault ?? logFault)(fault ?? error, request.log);
    if (fault === undefined) return sendProblem(reply, internal(request));

    for (const [name, value] of headersOf(fault, baseUrl, request)) reply.header(name, value);
    return sendProblem(reply, problemOf(fault, request));
  };
}

/** A fault of ours says nothing of itself: the log knows it by `requestId`. */
function internal(request: FastifyRequest): Problem {
  return { type: 'about:blank', title: titleOf(500), status: 500, code: 'internal', requestId: request.id };
}

function problemOf(fault: OrgctxError, request: FastifyRequest): Problem {
  const errors = fault instanceof InvalidInput ? fault.errors : [];
  return {
    type: 'about:blank',
    title: titleOf(fault.status),
    status: fault.status,
    detail: fault.message,
    code: fault.code,
    requestId: request.id,
    ...(errors.length > 0 && { errors: [...errors] }),
  };
}

function titleOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
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
