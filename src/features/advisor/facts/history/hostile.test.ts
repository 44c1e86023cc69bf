import { expect, it } from 'vitest';
import { entryWith } from './changelog.ts';
import { isRelease } from './releases.ts';

/** Returns how long some work takes, in milliseconds. */
function timeOf(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

it('reads a heading of many spaces in linear time', () => {
  const lines = [`#${' '.repeat(100_000)}x`, '- Open the pool (#12)'];
  expect(timeOf(() => entryWith(lines, ['12']))).toBeLessThan(500);
});

it('reads a subject of many digits and spaces in linear time', () => {
  const subject = `1.${'1'.repeat(1300)}${' '.repeat(2600)}release of the pool`;
  expect(timeOf(() => isRelease(subject))).toBeLessThan(500);
});
