import { describe, expect, it } from 'vitest';
import { searchedPart } from './branch-names.ts';

describe('the searched part of a branch pattern', () => {
  it('is contained in every matching name, and is never the keyword HEAD', () => {
    expect(searchedPart('rel/*-hotfix?')).toBe('-hotfix');
    expect(searchedPart('*')).toBe('');
    expect(searchedPart('HEAD')).toBe('HEAD');
    expect('HEAD').toContain(searchedPart('*HEAD'));
    expect(searchedPart('*HEAD')).not.toBe('HEAD');
  });
});
