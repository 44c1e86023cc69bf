import {
  Conflict,
  InvalidInput,
  NotFound,
  type OrgctxError,
  RateLimited,
  TooLarge,
  Unavailable,
} from '../../../foundation/kernel/errors.ts';
import type { OutboundError } from '../../../foundation/net/outbound-error.ts';
import type { ProblemBody } from './protocol/problem.ts';

/** Default delay before a retry, in seconds. */
const retrySeconds = 5;

export function unreachable(cause: unknown): Unavailable {
  return new Unavailable(
    'codesearch_unreachable',
    'The code search service cannot be reached. Check CODESEARCH_URL, and that "orgctx codesearch" runs there.',
    { cause, retryAfter: retrySeconds },
  );
}

export function timedOut(cause: unknown): Unavailable {
  return new Unavailable(
    'codesearch_timeout',
    'The code search service did not respond in time. Retry; if the problem persists, check the load of its host.',
    { cause, retryAfter: retrySeconds },
  );
}

/** Creates the error for an invalid certificate or a response that is not HTTP. Retrying does not help. */
export function notAService(error: OutboundError): Unavailable {
  return new Unavailable(
    'codesearch_unreachable',
    `The server at CODESEARCH_URL does not respond like a code search service: ${error.message} Check CODESEARCH_URL.`,
    { cause: error },
  );
}

export function responseTooLarge(): Unavailable {
  return new Unavailable(
    'codesearch_answer',
    'The response of the code search service is too large. Request fewer files or lines.',
  );
}

export function unreadableResponse(cause: unknown): Unavailable {
  return new Unavailable(
    'codesearch_answer',
    'The response of the code search service cannot be read. Check CODESEARCH_URL and the version of the service.',
    { cause },
  );
}

export function refusedProtocol(problem: string): Unavailable {
  return new Unavailable('codesearch_protocol', problem);
}

/**
 * Converts a problem from the service to an error of the same class, so that callers handle it as if the engine ran
 * in this process. Errors that only the operator can fix (the secret, a bug) become Unavailable.
 */
export function errorOf(problem: ProblemBody, retryAfter: number | undefined): OrgctxError {
  const { status, code, detail = 'The code search service failed. See its log.', errors } = problem;
  switch (status) {
    case 400:
      return new InvalidInput(detail, { code, ...(errors === undefined ? {} : { errors }) });
    case 401:
      return new Unavailable(
        'codesearch_secret',
        'The code search service refused CODESEARCH_SECRET. Set the same secret for the backend, the workers and the service.',
      );
    case 404:
      return new NotFound(detail);
    case 409:
      return new Conflict(code, detail);
    case 413:
      return new TooLarge(detail);
    case 429:
      return new RateLimited(detail, { retryAfter: retryAfter ?? retrySeconds });
    case 503:
      return new Unavailable(code, detail, retryAfter === undefined ? {} : { retryAfter });
    default:
      return new Unavailable('codesearch_failed', `The code search service failed: ${detail}`, {
        detail: { status, code },
      });
  }
}
