import { Unavailable } from '../../foundation/kernel/errors.ts';

/** What whoever asks for work hears from a service on its way out, and work under way then ends with. */
export function stopping(): Unavailable {
  const message = 'The code search service is stopping; it is tried again by itself.';
  return new Unavailable('shutting_down', message, { retryAfter: 5 });
}
