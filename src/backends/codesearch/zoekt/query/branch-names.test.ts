import { describe, expect, it } from 'vitest';
import { branchMatches, searchedPart } from './branch-names.ts';

describe('branches of a query', () => {
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
  ])('%s means %s: %s', (pattern, name, meant) => {
    expect(branchMatches(pattern, name, false)).toBe(meant);
  });

  it('take HEAD for the default branch, whatever that is called', () => {
    expect(branchMatches('HEAD', 'main', true)).toBe(true);
    expect(branchMatches('HEAD', 'HEAD', false)).toBe(false);
  });

  it('cost no more than their length times that of a name', () => {
    const started = performance.now();
    expect(branchMatches(`${'*a'.repeat(500)}b`, 'a'.repeat(5000), false)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('are asked for by what every meant name holds, and never by a word that means something else', () => {
    expect(searchedPart('rel/*-hotfix?')).toBe('-hotfix');
    expect(searchedPart('*')).toBe('');
    expect(searchedPart('HEAD')).toBe('HEAD');
    expect('HEAD').toContain(searchedPart('*HEAD'));
    expect(searchedPart('*HEAD')).not.toBe('HEAD');
  });
});
