import { describe, expect, it } from 'vitest';
import {
  Conflict,
  ExternalServiceError,
  InvalidInput,
  NotFound,
  RateLimited,
  Unavailable,
} from '../kernel/errors.ts';
import { verdictOf } from './verdict.ts';

const at = (attempt: number, random = 0.5) => ({ attempt, maxAttempts: 12, random: () => random });
const delay = (error: unknown, when = at(1)): number | undefined => verdictOf(error, when).retryAfterMs;

describe('the verdict on a failed job', () => {
  it('waits a random part of a delay that doubles up to ten minutes', () => {
    expect([1, 2, 3].map((attempt) => delay(new Error('x'), at(attempt)))).toEqual([1_000, 2_000, 4_000]);
    expect(delay(new Error('x'), at(11, 0.999_999))).toBe(599_999);
    expect(delay(new Error('x'), at(5, 0))).toBe(0);
  });

  it('believes a named wait, but none beyond a day and none that is no time', () => {
    expect(delay(new RateLimited('wait', { retryAfter: 7 }))).toBe(7_000);
    expect(delay(new Unavailable('overloaded', 'wait', { retryAfter: 7 }))).toBe(7_000);
    expect(delay(new RateLimited('wait', { retryAfter: 1e12 }))).toBe(86_400_000);
    for (const retryAfter of [Number.NaN, -1])
      expect(delay(new RateLimited('wait', { retryAfter }))).toBe(1_000);
    expect(delay(new Unavailable('overloaded', 'wait'))).toBe(1_000);
  });

  it('runs no job again that cannot succeed', () => {
    const lasting = [
      new InvalidInput('x'),
      new NotFound('x'),
      new Conflict('conflict', 'x'),
      new ExternalServiceError('githost', 'x', { retryable: false }),
    ];
    expect(lasting.map((error) => delay(error))).toEqual([undefined, undefined, undefined, undefined]);
    expect(delay(new ExternalServiceError('githost', 'x', { retryable: true }))).toBe(1_000);
  });

  it('runs none again after its last attempt', () => {
    expect(delay(new Error('x'), at(12))).toBeUndefined();
    expect(delay(new RateLimited('wait', { retryAfter: 1 }), at(12))).toBeUndefined();
  });
});
