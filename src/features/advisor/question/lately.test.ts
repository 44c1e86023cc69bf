import { expect, it } from 'vitest';
import { asksForLately, isLately } from './lately.ts';

it.each([
  ['Who has been working on the cache lately?', true],
  ['Who maintains it these days?', true],
  ['Since the latest release it fails, which change did that?', true],
  ['What changed in the last few months?', true],
  ['Who wrote the code for the latest tag?', false],
  ['Who knows how the current user is found?', false],
])('tells whether %s asks for what was done lately', (asked, expected) => {
  expect(asksForLately(asked)).toBe(expected);
});

it('calls lately the year before the newest commit', () => {
  const newest = Date.UTC(2020, 5, 1) / 1000;
  expect(isLately(Date.UTC(2019, 6, 1) / 1000, newest)).toBe(true);
  expect(isLately(Date.UTC(2019, 4, 1) / 1000, newest)).toBe(false);
});
