import { Forbidden, Unavailable } from '../../../foundation/kernel/errors.ts';

/** The error for a user whom the provider authenticated but who is not admitted here. */
export class UpstreamRefused extends Forbidden {
  constructor(publicMessage: string) {
    super('forbidden', publicMessage);
  }
}

/**
 * Creates the error for a missing or non-standard response of the provider. The response itself only goes to the log.
 */
export function upstreamUnavailable(host: string, cause: unknown): Unavailable {
  return new Unavailable(
    'upstream_unavailable',
    `The sign-in service ${host} did not return a valid response. Try again in a minute, or sign in with your password.`,
    { cause, retryAfter: 60 },
  );
}
