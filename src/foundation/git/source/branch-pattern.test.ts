import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../kernel/errors.ts';
import { branchMatcher, checkBranchPatterns } from './branch-pattern.ts';

describe('a pattern of branches', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'main2', false],
    ['main', 'Main', false],
    ['*', 'anything/at/all', true],
    ['release/*', 'release/1.0', true],
    ['release/*', 'release/1/2', true],
    ['release/*', 'prerelease/1', false],
    ['release/*', 'release', false],
    ['*-lts', 'v2-lts', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['v*.*.x', 'v1.20.x', true],
    ['v*.*.x', 'v1.x', false],
    ['a*b*c', 'acb', false],
    ['a.c', 'abc', false],
  ])('%s, asked for %s: %s', (pattern, branch, matches) => {
    expect(branchMatcher(pattern)(branch)).toBe(matches);
  });

  it('is fast for a pattern that is built to be slow', () => {
    expect(branchMatcher(`${'*a'.repeat(100)}b`)('a'.repeat(240))).toBe(false);
  });
});

describe('checkBranchPatterns', () => {
  it('accepts names and patterns, without duplicates', () => {
    expect(checkBranchPatterns(['main', 'release/*', '*', 'main'])).toEqual(['main', 'release/*', '*']);
  });

  it.each(['', '-x', 'a..b', 'a b', 'a\nb', 'refs//x', 'x.lock', '?', '[a]', 'a\0', 'HEAD', 'x'.repeat(300)])(
    'refuses an invalid branch name: %j',
    (pattern) => {
      expect(() => checkBranchPatterns(['main', pattern])).toThrow(InvalidInput);
    },
  );

  it('refuses a pattern with too many `*`, and names the limit', () => {
    expect(checkBranchPatterns(['a*'.repeat(8)])).toHaveLength(1);
    expect(() => checkBranchPatterns(['a*'.repeat(9)])).toThrow(/"a\*.*more than 8 `\*`/u);
  });

  it('refuses more patterns than a repository may have', () => {
    const many = Array.from({ length: 64 }, (_, n) => `b${n}`);
    expect(checkBranchPatterns(many.slice(1))).toHaveLength(63);
    expect(() => checkBranchPatterns(many)).toThrow(/at most 63 names or patterns/u);
  });
});
