import { Forbidden, Unavailable } from '../../../foundation/kernel/errors.ts';

/** The provider knows the person, and yet they are not let in here. */
export class UpstreamRefused extends Forbidden {
  constructor(publicMessage: string) {
    super('forbidden', publicMessage);
  }
}

/** The provider did not answer, or not as the standard says. What it said goes to the log only. */
export function unanswered(host: string, cause: unknown): Unavailable {
  return new Unavailable(
    'upstream_unavailable',
    `The sign-in service ${host} gave no answer that can be relied on. Try again in a minute, or sign in with your password.`,
    { cause, retryAfter: 60 },
  );
}
