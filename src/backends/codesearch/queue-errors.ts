import { Unavailable } from '../../foundation/kernel/errors.ts';

/** Creates the error for a search that was not run, so that the caller does not mistake it for an empty result. */
export function overloaded(): Unavailable {
  const message = 'Too many searches are waiting; retry in a second.';
  return new Unavailable('overloaded', message, { retryAfter: 1 });
}

/** Creates the error for a search that arrives during shutdown. */
export function closed(): Unavailable {
  return new Unavailable('shutting_down', 'The service is shutting down; retry in a moment.');
}
