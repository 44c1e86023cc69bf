import { expect, it } from 'vitest';
import { versionIn } from './asked-time.ts';

it.each([
  ['Since koa 3 a body gives a 500', '3'],
  ['It changed in version 2.1.', '2.1'],
  ['Was that since 12.0.0?', '12.0.0'],
  ['Before v5 it was set', '5'],
  ['It gives a 404 in 3 of 4 cases', undefined],
  ['Why is it limited to 100?', undefined],
])('reads the version in %s', (text, expected) => {
  expect(versionIn(text, ['koa', 'a-b.c(d)'])).toBe(expected);
});
