import { expect, it } from 'vitest';
import { listed } from './listed.ts';

it.each([
  [[], 2, ''],
  [['a'], 2, 'a'],
  [['a', 'b'], 2, 'a, b'],
  [['a', 'b', 'c', 'd'], 2, 'a, b and 2 more'],
] as const)('lists %j, at most %i', (names, max, expected) => {
  expect(listed(names, max)).toBe(expected);
});
