import { expect, it } from 'vitest';
import { isRelease } from './releases.ts';

it.each([
  ['4.13.3', true],
  ['v5.0.12', true],
  ['[maven-release-plugin] prepare release pen-1.13.0', true],
  ['release version 3.1.3', true],
  ['Bump version: 2.17.0 → 2.18.0', true],
  ['Bump patch version.', true],
  ['build(deps): bump checkout from 4.1 to 5', false],
  ['Drop support of version 2.7', false],
  ['Add retries', false],
])('tells whether %s makes a release', (subject, expected) => {
  expect(isRelease(subject)).toBe(expected);
});
