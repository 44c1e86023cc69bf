import { problemRecord } from '../../foundation/kernel/wire/problem-record.ts';
import { problemMediaType } from '../fastify/problem.ts';

const meanings = {
  400: 'The request is invalid; `errors` names the fields.',
  401: 'The credential is missing or invalid.',
  403: 'Not allowed: another organization, a higher role, a missing scope or an unlisted origin.',
  404: 'The organization has no such resource.',
  408: 'The body was not received in time.',
  409: 'The request conflicts with the stored state.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests; retry after Retry-After seconds.',
  431: 'The headers are larger than 16 KiB.',
  500: 'An internal error; the log has the details under `requestId`.',
  502: 'An upstream service failed.',
  503: 'Temporarily unavailable; retry after Retry-After seconds.',
} as const;

interface ProblemResponse {
  description: string;
  content: { [problemMediaType]: { schema: typeof problemRecord } };
}

/** Statuses that every route can answer with. */
const common = [431, 500] as const;

/** Returns the error responses of a route for its `response` schemas, with those of every route. */
export function problemResponses<Status extends keyof typeof meanings = never>(
  ...statuses: readonly Status[]
): Record<Status | (typeof common)[number], ProblemResponse> {
  const responses: Partial<Record<keyof typeof meanings, ProblemResponse>> = {};
  for (const status of [...statuses, ...common]) {
    responses[status] = {
      description: meanings[status],
      content: { [problemMediaType]: { schema: problemRecord } },
    };
  }
  return responses as Record<Status | (typeof common)[number], ProblemResponse>;
}
