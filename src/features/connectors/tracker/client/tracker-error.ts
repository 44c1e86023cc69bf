import { ExternalServiceError } from '../../../../foundation/kernel/errors.ts';

/** The name of the service in logs. */
const service = 'tracker';

export type TrackerReason =
  /** The tokens are wrong, expired or revoked. */
  | 'authentication'
  /** The account lacks the right. */
  | 'forbidden'
  /** There is no such entity, or the account does not see it. */
  | 'not_found'
  /** The cursor is not valid any more: the list must be read from its start. */
  | 'cursor_refused'
  /** The provider refuses the query: a failure of this program, or a changed schema. */
  | 'invalid'
  /** The response is not what this API answers; the URL may be of something else. */
  | 'protocol';

/**
 * A failure that a retry does not resolve. Failures that pass by themselves are the errors that the worker retries:
 * RateLimited, Unavailable and OutboundError.
 */
export class TrackerError extends ExternalServiceError {
  readonly reason: TrackerReason;

  constructor(reason: TrackerReason, message: string, options: { cause?: unknown } = {}) {
    super(service, message, { code: 'tracker_failed', retryable: false, ...options });
    this.reason = reason;
  }
}
