import { describe, expect, it } from 'vitest';
import { searchedPart } from './branch-names.ts';

describe('branches of a query', () => {
  it('are asked for by what every meant name holds, and never by a word that means something else', () => {
    expect(searchedPart('rel/*-hotfix?')).toBe('-hotfix');
    expect(searchedPart('*')).toBe('');
    expect(searchedPart('HEAD')).toBe('HEAD');
    expect('HEAD').toContain(searchedPart('*HEAD'));
    expect(searchedPart('*HEAD')).not.toBe('HEAD');
  });
});
