import type { z } from 'zod';
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
} from '../../foundation/kernel/errors.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import { problemRecord } from '../../foundation/kernel/wire/problem-record.ts';
import type { HttpResponse } from '../../foundation/net/http.ts';

/** A problem (RFC 9457) of the service (contract section 3). */
const problemShape = problemRecord
  .pick({ title: true, detail: true, code: true, errors: true })
  .extend({ requestId: problemRecord.shape.requestId.optional() });

type Problem = z.output<typeof problemShape>;

/** Advice for a refused caller, appended to the error message of the service. */
export interface RefusalAdvice {
  /** After a 401. */
  readonly unauthenticated?: string;
  /** After a 403. */
  readonly forbidden?: string;
}

/** Converts a response other than 2xx to an error of the same class that the service threw. */
export function problemError(
  response: HttpResponse,
  baseUrl: string,
  advice: RefusalAdvice = {},
): OrgctxError {
  const result = problemShape.safeParse(parseJson(response.body));
  return result.success
    ? errorOf(response, result.data, baseUrl, advice)
    : unexpectedResponse(response, baseUrl);
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

/** Creates the error for a response that is not a problem, such as a page of a proxy or a redirect to a sign-in. */
function unexpectedResponse({ status, headers }: HttpResponse, baseUrl: string): OrgctxError {
  const location = headers['location'];
  const message =
    location === undefined
      ? `${baseUrl} returned an unexpected response with status ${status}. Check that --url is the address of the service.`
      : `${baseUrl} redirects to ${originOf(location)}. Use the address of the service itself as --url.`;
  if (status === 401) return new Unauthenticated('invalid_token', message);
  return new ExternalServiceError(baseUrl, message, { retryable: false });
}

/** Returns only the origin, because the rest of a redirect may contain a state or a token. */
function originOf(location: string): string {
  return URL.parse(location)?.origin ?? 'another path';
}
