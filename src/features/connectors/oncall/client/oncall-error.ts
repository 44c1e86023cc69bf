import { ExternalServiceError } from '../../../../foundation/kernel/errors.ts';

export type OncallReason =
  /** The tokens are wrong, expired or revoked, or the account is in another region. */
  | 'authentication'
  /** The app lacks a scope, or the user a role. */
  | 'forbidden'
  /** There is no such thing, or the account does not see it. */
  | 'not_found'
  /** The provider does not read a list that far. */
  | 'too_far'
  /** The answer is larger than what is read. */
  | 'too_large'
  /** The provider refuses the request: a failure of this program, or a changed API. */
  | 'invalid'
  /** The response is not what this API answers; the URL may be of something else. */
  | 'protocol';

/**
 * A failure that a retry does not resolve. Failures that pass by themselves are the errors that the worker retries:
 * RateLimited, Unavailable and OutboundError.
 */
export class OncallError extends ExternalServiceError {
  readonly reason: OncallReason;

  constructor(reason: OncallReason, message: string, options: { cause?: unknown } = {}) {
    super('oncall', message, { code: 'oncall_failed', retryable: false, ...options });
    this.reason = reason;
  }
}

export function isOncallError(error: unknown, reason: OncallReason): boolean {
  return error instanceof OncallError && error.reason === reason;
}
