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

/** Seconds after which it is worth while to try again. */
const soon = 5;

export function unreachable(cause: unknown): Unavailable {
  return new Unavailable(
    'codesearch_unreachable',
    'The code search service cannot be reached: check CODESEARCH_URL, and that "orgctx codesearch" runs there.',
    { cause, retryAfter: soon },
  );
}

export function tooSlow(cause: unknown): Unavailable {
  return new Unavailable(
    'codesearch_timeout',
    'The code search service did not answer in time. Try again; if it stays so, look at the load of its host.',
    { cause, retryAfter: soon },
  );
}

/** The certificate, or bytes that are no HTTP: waiting mends neither. */
export function misled(error: OutboundError): Unavailable {
  return new Unavailable(
    'codesearch_unreachable',
    `The code search service does not answer as one: ${error.message} Check CODESEARCH_URL.`,
    { cause: error },
  );
}

export function answersTooMuch(): Unavailable {
  return new Unavailable(
    'codesearch_answer',
    'The answer of the code search service is larger than is taken: ask for fewer files or lines.',
  );
}

export function notUnderstood(cause: unknown): Unavailable {
  return new Unavailable(
    'codesearch_answer',
    'The code search service answered what cannot be read: check CODESEARCH_URL and its version.',
    { cause },
  );
}

export function refusedProtocol(fault: string): Unavailable {
  return new Unavailable('codesearch_protocol', fault);
}

/**
 * What the service said, as an error of the same class, so that whoever asked acts as if the engine were in this
 * process. Faults of this side of the interface (the secret, a bug) are nothing that whoever asked could mend.
 */
export function errorOf(problem: ProblemBody, retryAfter: number | undefined): OrgctxError {
  const { status, code, detail = 'The code search service failed; its log knows more.', errors } = problem;
  switch (status) {
    case 400:
      return new InvalidInput(detail, { code, ...(errors === undefined ? {} : { errors }) });
    case 401:
      return new Unavailable(
        'codesearch_secret',
        'The code search service refuses CODESEARCH_SECRET: set the same for the backend, workers and the service.',
      );
    case 404:
      return new NotFound(detail);
    case 409:
      return new Conflict(code, detail);
    case 413:
      return new TooLarge(detail);
    case 429:
      return new RateLimited(detail, { retryAfter: retryAfter ?? soon });
    case 503:
      return new Unavailable(code, detail, retryAfter === undefined ? {} : { retryAfter });
    default:
      return new Unavailable('codesearch_failed', `The code search service failed: ${detail}`, {
        detail: { status, code },
      });
  }
}
