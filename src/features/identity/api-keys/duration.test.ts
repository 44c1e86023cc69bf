import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['90d', 7_776_000_000],
    ['2w', 1_209_600_000],
  ])('reads %s as %d milliseconds', (text, ms) => {
    expect(parseDuration(text, '--expires-in')).toBe(ms);
  });

  it.each(['', '90', 'd', '0d', '-1d', '1.5d', '90D', '1y', ' 1d', '1d\n', '3651d', '9999999w'])(
    'refuses %j and names valid examples',
    (text) => {
      expect(() => parseDuration(text, '--expires-in')).toThrow(
        /--expires-in must be a duration such as 90d/,
      );
    },
  );
});
