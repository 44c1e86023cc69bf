import { describe, expect, it } from 'vitest';
import { databaseBusy } from '../db/retry-transaction.ts';
import {
  Conflict,
  ExternalServiceError,
  InvalidInput,
  NotFound,
  RateLimited,
  Unavailable,
} from '../kernel/errors.ts';
import { isLastRun, retryDecision } from './retry-decision.ts';

const at = (attempt: number, random = 0.5) => ({ attempt, maxAttempts: 12, random: () => random });
const delay = (error: unknown, when = at(1)): number | undefined => retryDecision(error, when).retryAfterMs;

describe('retryDecision', () => {
  it('waits a random part of a delay that doubles up to ten minutes', () => {
    expect([1, 2, 3].map((attempt) => delay(new Error('x'), at(attempt)))).toEqual([1_000, 2_000, 4_000]);
    expect(delay(new Error('x'), at(11, 0.999_999))).toBe(599_999);
    expect(delay(new Error('x'), at(5, 0))).toBe(0);
  });

  it('accepts a Retry-After up to a day and ignores one that is no time', () => {
    expect(delay(new RateLimited('wait', { retryAfter: 7 }))).toBe(7_000);
    expect(delay(new Unavailable('overloaded', 'wait', { retryAfter: 7 }))).toBe(7_000);
    expect(delay(new RateLimited('wait', { retryAfter: 1e12 }))).toBe(86_400_000);
    for (const retryAfter of [Number.NaN, -1])
      expect(delay(new RateLimited('wait', { retryAfter }))).toBe(1_000);
    expect(delay(new Unavailable('overloaded', 'wait'))).toBe(1_000);
  });

  it('does not retry a job that cannot succeed', () => {
    const lasting = [
      new InvalidInput('x'),
      new NotFound('x'),
      new Conflict('conflict', 'x'),
      new ExternalServiceError('githost', 'x', { retryable: false }),
    ];
    expect(lasting.map((error) => delay(error))).toEqual([undefined, undefined, undefined, undefined]);
    expect(delay(new ExternalServiceError('githost', 'x', { retryable: true }))).toBe(1_000);
  });

  it.each([
    Object.assign(new Error('write'), { code: 'ENOSPC' }),
    Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
    Object.assign(new Error('could not extend file'), { code: '53100' }),
    new Unavailable('disk_full', 'The disk is full.'),
    new ExternalServiceError('git', 'The disk is full.', { code: 'git_disk_full', retryable: true }),
  ])('retries a job that found a full disk in a minute, without counting the attempt: %s', (error) => {
    for (const attempt of [1, 12]) {
      expect(retryDecision(error, at(attempt))).toEqual({
        retryAfterMs: 60_000,
        lastError: expect.stringMatching(/disk.* is full/),
        counts: false,
      });
      expect(isLastRun(error, at(attempt))).toBe(false);
    }
  });

  it('retries a job that found a busy database in 5 s, without counting the attempt', () => {
    const error = databaseBusy(new Error('locked'));
    for (const attempt of [1, 12]) {
      expect(retryDecision(error, at(attempt))).toMatchObject({ retryAfterMs: 5_000, counts: false });
      expect(isLastRun(error, at(attempt))).toBe(false);
    }
  });

  it('does not retry a job after its last attempt', () => {
    expect(delay(new Error('x'), at(12))).toBeUndefined();
    expect(delay(new RateLimited('wait', { retryAfter: 1 }), at(12))).toBeUndefined();
  });
});
