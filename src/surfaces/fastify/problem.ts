import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { InvalidInput, type OrgctxError } from '../../foundation/kernel/errors.ts';

/** The one shape of an error answer (RFC 9457; contract section 3). */
export const problem = z
  .object({
    type: z.string().describe('Always `about:blank`: `code` tells problems apart.'),
    title: z.string().describe('The phrase of the status.'),
    status: z.int(),
    detail: z.string().optional().describe('For people: what was wrong and the next step.'),
    code: z.string().describe('For programs.'),
    requestId: z.string().describe('Names this request in the log; also in X-Request-Id.'),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe(
        'What is wrong in the request, one by one; `path` is the plain name of the field: `limit`, `source`.',
      ),
  })
  .meta({ id: 'Problem' });

export type Problem = z.output<typeof problem>;

export const problemMediaType = 'application/problem+json';

/** `undefined` stands for a fault of ours, which says nothing of itself: the log knows it by `requestId`. */
export function problemOf(fault: OrgctxError | undefined, requestId: string): Problem {
  if (fault === undefined) {
    return { type: 'about:blank', title: titleOf(500), status: 500, code: 'internal', requestId };
  }
  const errors = fault instanceof InvalidInput ? fault.errors : [];
  return {
    type: 'about:blank',
    title: titleOf(fault.status),
    status: fault.status,
    detail: fault.message,
    code: fault.code,
    requestId,
    ...(errors.length > 0 && { errors: [...errors] }),
  };
}

function titleOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}

/**
 * Sends it as it is: problems are made here, so no schema of a route has to pass them. The headers stand here, too,
 * since what Fastify refuses before routing passes no hook.
 */
export function sendProblem(reply: FastifyReply, body: Problem): FastifyReply {
  return reply
    .code(body.status)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', body.requestId)
    .type(problemMediaType)
    .serializer(JSON.stringify)
    .send(body);
}
