import { RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';

/** Returns the `Retry-After` of a temporary error, in whole seconds (RFC 9110 section 10.2.3), at least one. */
export function retryAfterOf(error: unknown): string | undefined {
  if (!(error instanceof RateLimited || error instanceof Unavailable)) return undefined;
  return error.retryAfter === undefined ? undefined : String(Math.max(1, Math.ceil(error.retryAfter)));
}
