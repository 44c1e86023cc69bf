import { ExternalServiceError, InvalidInput } from '../kernel/errors.ts';

/**
 * The reason why there was no response. `timeout` is exit code 7 of the command line, every other reason exit code 5
 * (contract section 1).
 */
export type OutboundReason =
  /** The host name has no address. */
  | 'dns'
  /** Nothing listens on the port. */
  | 'refused'
  /** There is no route, or the connection broke before the response was complete. */
  | 'unreachable'
  | 'timeout'
  /** The certificate cannot be verified, or the peer does not use TLS. */
  | 'tls'
  /** The response is larger than the caller accepts. */
  | 'too_large'
  /** The response violates HTTP or its content encoding, or redirects without end. */
  | 'protocol';

/** An error of a request that was sent and received no valid response. */
export class OutboundError extends ExternalServiceError {
  readonly reason: OutboundReason;
  /** The next step for the user, as a sentence; absent if the message is sufficient. */
  readonly hint: string | undefined;
  /** True if no connection was established, so that nothing was sent. Known for `HttpClient.request` only. */
  readonly isUnconnected: boolean;
  /** True if the outbound proxy caused the error, not the host. The log has its address (`detail`). */
  readonly isOfProxy: boolean;

  constructor(
    host: string,
    reason: OutboundReason,
    message: string,
    options: { cause?: unknown; hint?: string; isUnconnected?: boolean; proxy?: string } = {},
  ) {
    super(host, options.hint === undefined ? message : `${message} ${options.hint}`, {
      code: reason === 'timeout' ? 'external_timeout' : 'external_service',
      retryable: retryable[reason],
      cause: options.cause,
      ...(options.proxy === undefined ? {} : { detail: { proxy: options.proxy } }),
    });
    this.reason = reason;
    this.hint = options.hint;
    this.isUnconnected = options.isUnconnected ?? false;
    this.isOfProxy = options.proxy !== undefined;
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

/** An error for a tenant URL that may not be called: it is not https or not public. No connection was made. */
export class RefusedDestination extends InvalidInput {}
