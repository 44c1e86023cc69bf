import { expect, it } from 'vitest';
import { Conflict, NotFound, RateLimited } from '../../../../foundation/kernel/errors.ts';
import { formErrorsOf } from './check-fields.ts';

it('shows a conflict and a refusal of too many requests with the form', () => {
  const errors = [new Conflict('taken', 'Taken.'), new RateLimited('Ask again later.', { retryAfter: 5 })];
  expect(errors.map((error) => formErrorsOf(error, ['prompt']))).toEqual([
    { '': 'Taken.' },
    { '': 'Ask again later.' },
  ]);
  const other = new NotFound('Nothing here.');
  expect(() => formErrorsOf(other, ['prompt'])).toThrow(other);
});
