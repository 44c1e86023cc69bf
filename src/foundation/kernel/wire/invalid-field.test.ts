import { describe, expect, it } from 'vitest';
import { checkRange, invalidField } from './invalid-field.ts';

describe('invalidField', () => {
  it('names the field in the sentence and in errors', () => {
    const error = invalidField('limit', 'must be small');
    expect(error).toMatchObject({
      code: 'validation_failed',
      message: '`limit` must be small.',
      errors: [{ path: '/limit', message: 'must be small' }],
    });
  });

  it('accepts a separate sentence and keeps the cause for the log', () => {
    const cause = new Error('ENOENT');
    const error = invalidField('source', 'cannot be opened', '/srv/a cannot be opened.', { cause });
    expect(error.message).toBe('/srv/a cannot be opened.');
    expect(error.cause).toBe(cause);
  });
});

describe('checkRange', () => {
  it.each([1, 200])('accepts the bound %d', (value) => {
    expect(() => checkRange('limit', value, 1, 200)).not.toThrow();
  });

  it.each([0, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d and names the range', (value) => {
    expect(() => checkRange('limit', value, 1, 200)).toThrow('`limit` must be a whole number from 1 to 200.');
  });
});
