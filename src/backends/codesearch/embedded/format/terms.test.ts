import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachTerm, wordsOf } from './terms.ts';

const termsOf = (text: string): number[] => [...wordsOf(text).keys()];

const same = (left: string, right: string): void => expect(termsOf(left)).toEqual(termsOf(right));

describe('terms', () => {
  it('are split at word boundaries of identifiers', () => {
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

  it('exclude single letters and long numbers', () => {
    expect(termsOf('x = 12345678 + y')).toEqual([]);
    expect(termsOf('429')).toHaveLength(1);
  });

  it('have the start of each term', () => {
    const found: number[] = [];
    const text = Buffer.from('  fooBar(baz)');
    eachTerm(text, 0, text.length, (_, start) => found.push(start));
    expect(found).toEqual([2, 5, 9]);
  });

  it('keep the hashes that are stored in indexes', () => {
    expect(termsOf('retry HTTPServer naïve 429')).toEqual([
      4005528186, 3378792613, 1085029842, 3416415852, 2771092430,
    ]);
  });

  it('match a simple implementation for any text', () => {
    const letters = 'aeiouylsszdgnIEDSGN_ 09.\u00e9\n'.split('');
    const text = fc.array(fc.constantFrom(...letters), { maxLength: 200 }).map((some) => some.join(''));
    fc.assert(
      fc.property(text, (some) => {
        const found: number[] = [];
        const bytes = Buffer.from(some);
        eachTerm(bytes, 0, bytes.length, (term) => found.push(term));
        expect(found).toEqual(plainTerms(bytes.toString('latin1')));
      }),
      { numRuns: 2000 },
    );
  });
});

/** Implements `eachTerm` word by word and rule by rule, over a string of bytes. */
function plainTerms(text: string): number[] {
  const words = /[0-9]+|[A-Z]{2,}s(?![a-z\x80-\xff])|[A-Z]+(?![a-z\x80-\xff])|[A-Z]?[a-z\x80-\xff]+/g;
  return [...text.matchAll(words)]
    .map(([word]) => word)
    .filter((word) => word.length >= 2 && word.length <= (/^\d/.test(word) ? 6 : 40))
    .map((word) => fnv1a(stem(word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()))));
}

function stem(word: string): string {
  const singular = word.length >= 4 ? word.replace(/(?<![sui])s$/, '') : word;
  const verb = withoutVerbEnding(singular);
  return verb.length >= 3 ? verb.replace(/[iy]$/, '') : verb;
}

function withoutVerbEnding(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith('e')) return word.slice(0, -1);
  if (word.length >= 5 && word.endsWith('ed')) return undoubled(word.slice(0, -2));
  return word.length >= 6 && word.endsWith('ing') ? undoubled(word.slice(0, -3)) : word;
}

function undoubled(word: string): string {
  return word.length >= 3 ? word.replace(/([^lsz])\1$/, '$1') : word;
}

function fnv1a(bytes: string): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}
