import { describe, expect, it } from 'vitest';
import { measureProcessor } from '../../../test/support/run/processor-time.ts';
import { matchesBranchGlob } from './branch-glob.ts';

describe('a pattern for branches', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'main2', false],
    ['rel/*', 'rel/1.0/a', true],
    ['rel/*', 'rel', false],
    ['*.0', 'rel/1.0', true],
    ['r?l', 'rel', true],
    ['r?l', 'rl', false],
    ['*a*b', 'xaxbxb', true],
    ['*a*b', 'xbxa', false],
    ['*', '', true],
    ['[a-z]+', 'abc', false],
  ])('%s matches %s: %s', (pattern, name, matches) => {
    expect(matchesBranchGlob(pattern, name)).toBe(matches);
  });

  it('costs at most its length times the length of the name', () => {
    const processorMs = measureProcessor();
    expect(matchesBranchGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(5000))).toBe(false);
    expect(processorMs()).toBeLessThan(20_000);
  });
});
