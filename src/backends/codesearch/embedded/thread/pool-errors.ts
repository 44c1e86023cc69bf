import { InvalidInput, Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { Refusal } from './task.ts';

export function failed(cause: unknown): Unavailable {
  return new Unavailable('search_failed', 'The search failed. Retry, or simplify the query.', {
    cause,
  });
}

export function refused({ message, code, errors }: Refusal): InvalidInput {
  return new InvalidInput(message, { code, errors });
}
