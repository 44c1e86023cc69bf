import { InvalidInput, Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { Refusal } from './task.ts';

export function failed(cause: unknown): Unavailable {
  return new Unavailable('search_failed', 'The search failed; try again, or with a simpler query.', {
    cause,
  });
}

/** Nothing was looked at: this is no empty answer. */
export function overloaded(): Unavailable {
  const message = 'Too many searches are waiting; try again in a second.';
  return new Unavailable('overloaded', message, { retryAfter: 1 });
}

export function closed(): Unavailable {
  return new Unavailable('shutting_down', 'The service is shutting down; try again in a moment.');
}

export function refused({ message, code, errors }: Refusal): InvalidInput {
  return new InvalidInput(message, { code, errors });
}
