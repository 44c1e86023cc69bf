import { describe, expect, it } from 'vitest';
import { eachTerm, wordsOf } from './terms.ts';

const termsOf = (text: string): number[] => [...wordsOf(text).keys()];

const same = (left: string, right: string): void => expect(termsOf(left)).toEqual(termsOf(right));

describe('terms', () => {
  it('split identifiers where their writers did', () => {
    same('parseHTTPRequest', 'parse http request');
    same('acquire_lease_until', 'acquire lease until');
    same('Base64Encoder', 'base 64 encoder');
    same('MAX_RETRIES', 'max retries');
    same('userIDs', 'user ids');
  });

  it.each([
    ['cache caches cached caching', 1],
    ['query queries queried', 1],
    ['stop stops stopped stopping', 1],
    ['retry retries retried retrying', 1],
    ['class', 1],
    ['status state', 2],
  ])('of "%s" are %i', (text, count) => {
    expect(termsOf(text)).toHaveLength(count);
  });

  it('leave out single letters and long numbers', () => {
    expect(termsOf('x = 12345678 + y')).toEqual([]);
    expect(termsOf('429')).toHaveLength(1);
  });

  it('tell where they stand', () => {
    const found: number[] = [];
    const text = Buffer.from('  fooBar(baz)');
    eachTerm(text, 0, text.length, (_, start) => found.push(start));
    expect(found).toEqual([2, 5, 9]);
  });
});
