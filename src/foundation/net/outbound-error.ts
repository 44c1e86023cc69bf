import { ExternalServiceError, InvalidInput } from '../kernel/errors.ts';

/**
 * Why no answer came. `timeout` is exit code 7 of the command line, every other reason exit code 5
 * (contract section 1).
 */
export type OutboundReason =
  /** The host name has no address. */
  | 'dns'
  /** Nothing listens at the port. */
  | 'refused'
  /** No route, or the connection broke before the answer was complete. */
  | 'unreachable'
  | 'timeout'
  /** The certificate does not verify, or the peer speaks no TLS. */
  | 'tls'
  /** The answer is larger than the caller takes. */
  | 'too_large'
  /** The answer breaks HTTP, its content encoding, or redirects for ever. */
  | 'protocol';

/** A request that left and brought no answer. */
export class OutboundError extends ExternalServiceError {
  readonly reason: OutboundReason;
  /** What to do about it, a sentence for people; absent where the message says it all. */
  readonly hint: string | undefined;

  constructor(
    host: string,
    reason: OutboundReason,
    message: string,
    options: { cause?: unknown; hint?: string } = {},
  ) {
    super(host, options.hint === undefined ? message : `${message} ${options.hint}`, {
      code: reason === 'timeout' ? 'external_timeout' : 'external_service',
      retryable: retryable[reason],
      cause: options.cause,
    });
    this.reason = reason;
    this.hint = options.hint;
  }
}

const retryable: Readonly<Record<OutboundReason, boolean>> = {
  dns: true,
  refused: true,
  unreachable: true,
  timeout: true,
  tls: false,
  too_large: false,
  protocol: false,
};

/** A URL from data that may not be called: not https, not public. No connection was made. */
export class RefusedDestination extends InvalidInput {}
