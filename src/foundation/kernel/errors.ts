import { isDiskFull } from './error-code.ts';
import type { JsonPointer } from './wire/json-pointer.ts';

/**
 * The base class of all expected errors, with one subclass for each action that the receiver must take. Three places
 * translate them: HTTP (problem+json), MCP (tool results and JSON-RPC) and jobs (retry or dead).
 *
 * `message` is public: it states the problem and the next step, and never holds a secret or an id of another
 * organization. `detail` and `cause` are only logged.
 */
export abstract class OrgctxError extends Error {
  /** HTTP status of the problem+json response. */
  abstract readonly status: number;
  /** Machine-readable code of the problem+json response (contract, section 3). */
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

/** One invalid field of a request: where it is (`/limit`) and the reason. */
export interface FieldError {
  readonly path: JsonPointer;
  readonly message: string;
}

/** The request is invalid. A retry fails the same way: the caller must correct it. */
export class InvalidInput extends OrgctxError {
  readonly status = 400;
  readonly errors: readonly FieldError[];

  constructor(
    publicMessage: string,
    options: ErrorDetails & { code?: string; errors?: readonly FieldError[] } = {},
  ) {
    super(options.code ?? 'validation_failed', publicMessage, options);
    this.errors = options.errors ?? [];
  }
}

/** The credential is missing or invalid. The caller must authenticate. */
export class Unauthenticated extends OrgctxError {
  readonly status = 401;

  constructor(code: 'unauthenticated' | 'invalid_token', publicMessage: string, options?: ErrorDetails) {
    super(code, publicMessage, options);
  }
}

/** The credential is valid but does not permit this call. The caller must request access. */
export class Forbidden extends OrgctxError {
  readonly status = 403;
  /** For `insufficient_scope`: every scope that the call needs (RFC 6750 section 3.1). */
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

/** The resource does not exist, or the caller must not know that it does. */
export class NotFound extends OrgctxError {
  readonly status = 404;

  constructor(publicMessage: string, options?: ErrorDetails) {
    super('not_found', publicMessage, options);
  }
}

/** The resource does not support the method. The caller must use one of `allow` (RFC 9110 section 15.5.6). */
export class MethodNotAllowed extends OrgctxError {
  readonly status = 405;
  readonly allow: readonly string[];

  constructor(publicMessage: string, allow: readonly string[]) {
    super('method_not_allowed', publicMessage);
    this.allow = allow;
  }
}

/** The request conflicts with the stored state. The caller must read that state first. */
export class Conflict extends OrgctxError {
  readonly status = 409;
}

/** The request is too large. The caller must send less. */
export class TooLarge extends OrgctxError {
  readonly status = 413;

  constructor(publicMessage: string, options?: ErrorDetails) {
    super('payload_too_large', publicMessage, options);
  }
}

/** The caller sent too many requests. It must wait `retryAfter` seconds. */
export class RateLimited extends OrgctxError {
  readonly status = 429;
  readonly retryAfter: number;

  constructor(publicMessage: string, options: ErrorDetails & { retryAfter: number }) {
    super('rate_limited', publicMessage, options);
    this.retryAfter = options.retryAfter;
  }
}

/** The service is temporarily unavailable. The caller may retry, after `retryAfter` seconds if that is set. */
export class Unavailable extends OrgctxError {
  readonly status = 503;
  readonly retryAfter: number | undefined;

  constructor(code: string, publicMessage: string, options: ErrorDetails & { retryAfter?: number } = {}) {
    super(code, publicMessage, options);
    this.retryAfter = options.retryAfter;
  }
}

/** An external service (Git host, provider) failed. `retryable` tells a job whether a retry can succeed. */
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

/** Retry-After of a full disk, in seconds: somebody must free space first. */
const diskFullRetryAfter = 60;

/** Converts the error of a write to a full disk, by the system or a database. Other errors are returned unchanged. */
export function explainDiskFull(error: unknown): unknown {
  if (error instanceof OrgctxError || !isDiskFull(error)) return error;
  return new Unavailable(
    'disk_full',
    'A disk of the service is full. Free some space, then try again; "orgctx doctor" shows the free space.',
    { cause: error, retryAfter: diskFullRetryAfter },
  );
}

/** Returns whether an error is expected and the caller can correct it; all others are the service's. */
export function isCallerError(error: unknown): error is OrgctxError {
  return error instanceof OrgctxError && error.status < 500;
}
