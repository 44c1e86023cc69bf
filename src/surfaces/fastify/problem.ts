import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type FieldError, InvalidInput, type OrgctxError } from '../../foundation/kernel/errors.ts';
import { shorten } from '../../foundation/kernel/text/visible-text.ts';
import type { JsonPointer } from '../../foundation/kernel/wire/json-pointer.ts';
import type { ProblemRecord } from '../../foundation/kernel/wire/problem-record.ts';

export const problemMediaType = 'application/problem+json';

/**
 * Converts an error to its response body. An internal error (`undefined`) reveals no details; find it by `requestId`.
 */
export function problemOf(error: OrgctxError | undefined, requestId: string): ProblemRecord {
  if (error === undefined) {
    return { type: 'about:blank', title: titleOf(500), status: 500, code: 'internal', requestId };
  }
  const errors = error instanceof InvalidInput ? error.errors : [];
  return {
    type: 'about:blank',
    title: titleOf(error.status),
    status: error.status,
    detail: shorten(error.message, maxDetailCharacters),
    code: error.code,
    requestId,
    ...(errors.length > 0 && { errors: errors.slice(0, maxErrors).map(shortenField) }),
  };
}

/** Limits of the parts of a problem, which may repeat parts of the request. */
const maxDetailCharacters = 1_000;
const maxErrors = 50;

function shortenField({ path, message }: FieldError): FieldError {
  return { path: shorten(path) as JsonPointer, message: shorten(message, maxDetailCharacters) };
}

function titleOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}

/**
 * Sends a problem without the response schema of the route. The headers are set here because errors that Fastify
 * raises before routing run no hooks.
 */
export function sendProblem(reply: FastifyReply, body: ProblemRecord): FastifyReply {
  return reply
    .code(body.status)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', body.requestId)
    .type(problemMediaType)
    .serializer(JSON.stringify)
    .send(body);
}
