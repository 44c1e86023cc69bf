import { Unavailable } from '../../foundation/kernel/errors.ts';

/** Creates the error for new work, and for work in flight, while the service shuts down. */
export function stopping(): Unavailable {
  const message = 'The code search service is shutting down; the work is retried automatically.';
  return new Unavailable('shutting_down', message, { retryAfter: 5 });
}
