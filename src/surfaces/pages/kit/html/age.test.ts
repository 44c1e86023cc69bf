import { describe, expect, it } from 'vitest';
import { ageText } from './age.ts';

const now = Date.UTC(2026, 10, 23, 12);
const second = 1_000;

describe('an age', () => {
  it.each([
    [-20 * second, 'less than a minute ago'],
    [-60 * second, '1 minute ago'],
    [-119 * second, '1 minute ago'],
    [-3 * 3600 * second, '3 hours ago'],
    [-50 * 3600 * second, '2 days ago'],
    [-400 * 24 * 3600 * second, '1 year ago'],
    [30 * second, 'in less than a minute'],
    [600 * second, 'in 10 minutes'],
    [90 * 24 * 3600 * second - 1, 'in 3 months'],
    [7 * 24 * 3600 * second - 5 * second, 'in 7 days'],
  ])('of %i ms is %s', (offset, text) => {
    expect(ageText(now + offset, now)).toBe(text);
  });
});
