import type { FastifyReply } from 'fastify';
import { z } from 'zod';

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

const meanings = {
  400: 'The request is wrong: `errors` says where.',
  401: 'No credential, or one that does not count.',
  403: 'Not allowed: another organization, a higher role, a missing scope or a foreign origin.',
  404: 'No such thing in this organization.',
  408: 'The body came too slowly.',
  409: 'It contradicts what is stored.',
  413: 'The body is too large.',
  415: 'Not JSON.',
  429: 'Too many requests: wait for Retry-After.',
  500: 'A fault of the service; the log knows more under `requestId`.',
  502: 'A service behind this one failed.',
  503: 'Not now: come back after Retry-After.',
} as const;

interface ProblemResponse {
  description: string;
  content: { [problemMediaType]: { schema: typeof problem } };
}

/** The error answers of a route, for its `response` schemas; 500 belongs to every route. */
export function problemResponses<Status extends keyof typeof meanings = never>(
  ...statuses: readonly Status[]
): Record<Status | 500, ProblemResponse> {
  const responses: Partial<Record<keyof typeof meanings, ProblemResponse>> = {};
  for (const status of [...statuses, 500] as const) {
    responses[status] = {
      description: meanings[status],
      content: { [problemMediaType]: { schema: problem } },
    };
  }
  return responses as Record<Status | 500, ProblemResponse>;
}
