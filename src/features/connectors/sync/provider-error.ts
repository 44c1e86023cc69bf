import { ExternalServiceError, RateLimited, Unavailable } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';

export type ProviderReason =
  /** The tokens are wrong, expired or revoked, or of another place of the provider. */
  | 'authentication'
  /** The account lacks the right. */
  | 'forbidden'
  /** There is no such entity, or the account does not see it. */
  | 'not_found'
  /** The cursor is not valid any more: the list must be read from its start. */
  | 'cursor_refused'
  /** The answer is larger than what is read. */
  | 'too_large'
  /** The provider refuses the request: a failure of this program, or a changed API. */
  | 'invalid'
  /** The response is not what the API answers; the URL may be of something else. */
  | 'protocol';

/**
 * A failure of a provider that a retry does not resolve. Failures that pass by themselves are the errors that the
 * worker retries: RateLimited, Unavailable and OutboundError.
 */
export class ProviderError extends ExternalServiceError {
  readonly reason: ProviderReason;

  constructor(
    service: string,
    reason: ProviderReason,
    message: string,
    options: { readonly code?: string; readonly cause?: unknown } = {},
  ) {
    super(service, message, { retryable: false, ...options });
    this.reason = reason;
  }
}

export function isProviderError(error: unknown, ...reasons: readonly ProviderReason[]): boolean {
  return error instanceof ProviderError && reasons.includes(error.reason);
}

/** Returns functions that create the errors of a provider. `name` has its article and begins sentences. */
export function providerErrors(service: string, name: string) {
  const failed = (reason: ProviderReason, message: string, cause?: unknown) =>
    new ProviderError(service, reason, message, { code: `${service}_failed`, cause });
  return {
    failed,
    unauthenticated: () =>
      failed(
        'authentication',
        `${name} does not accept the authorization of this connection. Authorize it again.`,
      ),
    /** Creates the error for something that passes by itself. */
    unavailable: (reason: string, cause?: unknown) =>
      new Unavailable(
        `${service}_unavailable`,
        `${name} is not available (${reason}). Try again later; jobs do so by themselves.`,
        { cause },
      ),
    /** Returns the arguments of an error about limits. */
    limited: (retryAfter: number): [string, { retryAfter: number }] => [
      `${name} limits the requests of this connection. Try again in ${retryAfter} seconds; jobs do so by themselves.`,
      { retryAfter },
    ],
  };
}

/** Answers with `undefined` if there is no such entity. */
export const orGone = orUndefined((error) => isProviderError(error, 'not_found'));

/**
 * The provider refused a request because of a limit. All jobs of the connection wait for `retryAfter` seconds. Other
 * `RateLimited` errors concern one job, such as one that leaves a part of the limits to more urgent ones.
 */
export class ProviderLimited extends RateLimited {}
