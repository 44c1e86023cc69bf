import { Unavailable } from '../../foundation/kernel/errors.ts';

/** Nothing was looked at: this is no empty answer. */
export function overloaded(): Unavailable {
  const message = 'Too many searches are waiting; try again in a second.';
  return new Unavailable('overloaded', message, { retryAfter: 1 });
}

export function closed(): Unavailable {
  return new Unavailable('shutting_down', 'The service is shutting down; try again in a moment.');
}
