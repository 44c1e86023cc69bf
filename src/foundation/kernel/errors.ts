/**
 * One base class; a subclass for each thing the receiver must do. Three places translate them: HTTP (problem+json),
 * MCP (tool results and JSON-RPC), jobs (retry or fail).
 *
 * `message` is public: it says what was wrong and names the next step, and never holds a secret or a foreign id.
 * `detail` and `cause` go to the log only.
 */
export abstract class OrgctxError extends Error {
  /** HTTP status of the problem+json answer. */
  abstract readonly status: number;
  /** Machine code of the problem+json answer (contract, section 3). */
  readonly code: string;
  readonly detail: Readonly<Record<string, unknown>> | undefined;

  constructor(code: string, publicMessage: string, options: ErrorDetails = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.detail = options.detail;
  }
}

export interface ErrorDetails {
  readonly cause?: unknown;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** One fault of a bad request: the plain name of the field (`limit`) and what is wrong with it. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** The request is wrong and stays wrong: correct it. */
export class InvalidInput extends OrgctxError {
  readonly status = 400;
  readonly errors: readonly FieldFault[];

  constructor(
    publicMessage: string,
    options: ErrorDetails & { code?: string; errors?: readonly FieldFault[] } = {},
  ) {
    super(options.code ?? 'validation_failed', publicMessage, options);
    this.errors = options.errors ?? [];
  }
}

/** No credential, or one that does not count: authenticate. */
export class Unauthenticated extends OrgctxError {
  readonly status = 401;

  constructor(code: 'unauthenticated' | 'invalid_token', publicMessage: string, options?: ErrorDetails) {
    super(code, publicMessage, options);
  }
}

/** The credential counts but does not reach this far: ask for access. */
export class Forbidden extends OrgctxError {
  readonly status = 403;
  /** For `insufficient_scope`: every scope the call needs (RFC 6750 section 3.1). */
  readonly requiredScopes: readonly string[];

  constructor(
    code: 'forbidden' | 'insufficient_scope' | 'grant_unbound',
    publicMessage: string,
    options: ErrorDetails & { requiredScopes?: readonly string[] } = {},
  ) {
    super(code, publicMessage, options);
    this.requiredScopes = options.requiredScopes ?? [];
  }
}

/** Nothing there, or nothing the caller may know of: look elsewhere. */
export class NotFound extends OrgctxError {
  readonly status = 404;

  constructor(publicMessage: string, options?: ErrorDetails) {
    super('not_found', publicMessage, options);
  }
}

/** The address is right, the method is not: use one of `allow` (RFC 9110 section 15.5.6). */
export class MethodNotAllowed extends OrgctxError {
  readonly status = 405;
  readonly allow: readonly string[];

  constructor(publicMessage: string, allow: readonly string[]) {
    super('method_not_allowed', publicMessage);
    this.allow = allow;
  }
}

/** The request contradicts what is stored: look at it, then decide. */
export class Conflict extends OrgctxError {
  readonly status = 409;
}

/** The request is too large: send less. */
export class TooLarge extends OrgctxError {
  readonly status = 413;

  constructor(publicMessage: string, options?: ErrorDetails) {
    super('payload_too_large', publicMessage, options);
  }
}

/** Too many requests of this caller: wait `retryAfter` seconds. */
export class RateLimited extends OrgctxError {
  readonly status = 429;
  readonly retryAfter: number;

  constructor(publicMessage: string, options: ErrorDetails & { retryAfter: number }) {
    super('rate_limited', publicMessage, options);
    this.retryAfter = options.retryAfter;
  }
}

/** We cannot answer now: come back, after `retryAfter` seconds where that is known. */
export class Unavailable extends OrgctxError {
  readonly status = 503;
  readonly retryAfter: number | undefined;

  constructor(code: string, publicMessage: string, options: ErrorDetails & { retryAfter?: number } = {}) {
    super(code, publicMessage, options);
    this.retryAfter = options.retryAfter;
  }
}

/** A service that we call (Git host, provider) failed. `retryable` tells a job whether trying again can help. */
export class ExternalServiceError extends OrgctxError {
  readonly status = 502;
  readonly service: string;
  readonly retryable: boolean;

  constructor(
    service: string,
    publicMessage: string,
    options: ErrorDetails & { retryable: boolean; code?: string },
  ) {
    super(options.code ?? 'external_service', publicMessage, options);
    this.service = service;
    this.retryable = options.retryable;
  }
}
