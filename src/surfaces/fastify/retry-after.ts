import { RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';

/** `Retry-After` of a refusal that passes: whole seconds (RFC 9110 section 10.2.3), at least one. */
export function retryAfterOf(error: unknown): string | undefined {
  if (!(error instanceof RateLimited || error instanceof Unavailable)) return undefined;
  return error.retryAfter === undefined ? undefined : String(Math.max(1, Math.ceil(error.retryAfter)));
}
