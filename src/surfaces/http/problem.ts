import { problem, problemMediaType } from '../fastify/problem.ts';

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
