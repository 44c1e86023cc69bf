import { z } from 'zod';
import {
  Conflict,
  type ErrorDetails,
  ExternalServiceError,
  Forbidden,
  InvalidInput,
  NotFound,
  type OrgctxError,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
} from '../foundation/kernel/errors.ts';
import type { HttpResponse } from '../foundation/net/http.ts';
import { parseJson } from './parse-json.ts';

/** RFC 9457 as the service writes it (contract section 3). */
const problemShape = z.object({
  title: z.string(),
  detail: z.string().optional(),
  code: z.string(),
  requestId: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

type Problem = z.output<typeof problemShape>;

/** What to do when the service refuses the caller, in words that follow its own. */
export interface RefusalAdvice {
  /** After a 401. */
  readonly unauthenticated?: string;
  /** After a 403. */
  readonly forbidden?: string;
}

/** The error that an answer other than 2xx stands for: the same class that the service threw. */
export function problemError(
  response: HttpResponse,
  baseUrl: string,
  advice: RefusalAdvice = {},
): OrgctxError {
  const result = problemShape.safeParse(parseJson(response.body));
  return result.success ? errorOf(response, result.data, baseUrl, advice) : strangeAnswer(response, baseUrl);
}

function errorOf(
  response: HttpResponse,
  problem: Problem,
  baseUrl: string,
  { unauthenticated, forbidden }: RefusalAdvice,
): OrgctxError {
  const { code, errors = [], requestId } = problem;
  const message = problem.detail ?? problem.title;
  const details: ErrorDetails = requestId === undefined ? {} : { detail: { requestId } };
  switch (response.status) {
    case 400:
      return new InvalidInput(message, { ...details, code, errors });
    case 401:
      return new Unauthenticated('invalid_token', withAdvice(message, unauthenticated), details);
    case 403:
      return new Forbidden(forbiddenCode(code), withAdvice(message, forbidden), details);
    case 404:
      return new NotFound(message, details);
    case 409:
      return new Conflict(code, message, details);
    case 413:
      return new TooLarge(message, details);
    case 429:
      return new RateLimited(message, { ...details, retryAfter: secondsToWait(response) });
    case 503:
      return new Unavailable(code, message, { ...details, retryAfter: secondsToWait(response) });
    default:
      return new ExternalServiceError(baseUrl, message, { ...details, code, retryable: false });
  }
}

function withAdvice(message: string, advice: string | undefined): string {
  return advice === undefined ? message : `${message} ${advice}`;
}

function forbiddenCode(code: string): ConstructorParameters<typeof Forbidden>[0] {
  return code === 'insufficient_scope' || code === 'grant_unbound' ? code : 'forbidden';
}

function secondsToWait({ headers }: HttpResponse): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : 1;
}

/** A proxy's page, another service, a redirect to a sign-in. */
function strangeAnswer({ status, headers }: HttpResponse, baseUrl: string): OrgctxError {
  const location = headers['location'];
  const message =
    location === undefined
      ? `${baseUrl} answered ${status}, but not as orgctx does. Is --url the address of the service?`
      : `${baseUrl} redirects to ${originOf(location)}. Give the service's own address as --url.`;
  if (status === 401) return new Unauthenticated('invalid_token', message);
  return new ExternalServiceError(baseUrl, message, { retryable: false });
}

/** Only the origin: the rest of a redirect may carry a state or a token. */
function originOf(location: string): string {
  return URL.parse(location)?.origin ?? 'another path';
}
