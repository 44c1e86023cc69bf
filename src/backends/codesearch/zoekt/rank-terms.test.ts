import { describe, expect, it } from 'vitest';
import { rankTerms } from './rank-terms.ts';

describe('the terms of a question for Zoekt', () => {
  it('are the parts of words, each with the stem of all word forms', () => {
    expect(rankTerms(['retries', 'parseHTTPQuery_v2', 'Leases'])).toEqual([
      { word: 'retries', stem: 'retr' },
      { word: 'parse', stem: 'pars' },
      { word: 'http', stem: 'http' },
      { word: 'query', stem: 'quer' },
      { word: 'leases', stem: 'leas' },
    ]);
  });

  it('have no duplicate stems, and are at most 32', () => {
    expect(rankTerms(['lease', 'leases', 'LEASE'])).toHaveLength(1);
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
    expect(rankTerms(letters.flatMap((a) => [`${a}xqw`, `${a}zqw`]))).toHaveLength(32);
  });

  it('exclude stems that are too short', () => {
    expect(rankTerms(['a', 'is', '42', '--', '\ud800'])).toEqual([]);
  });
});
