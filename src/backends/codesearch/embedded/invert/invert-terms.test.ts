import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roomForTerms, scanTerms } from '../format/terms.ts';
import { termInverter } from './invert-terms.ts';

describe('the terms of a text', () => {
  const inverter = termInverter();
  const scanned = (text: Uint8Array): Int32Array => {
    const found = roomForTerms(text.length);
    return found.hashes.subarray(0, scanTerms(text, 0, text.length, found));
  };

  it.each([
    ['of this file', readFileSync(import.meta.filename)],
    [
      'of words with stems',
      Buffer.from('caches cached caching IDs queries HTTPServer stopped running A Ab ABs'),
    ],
    ['of words at the very end', Buffer.from('HTTPs')],
    ['of words too long for one', Buffer.from(`${'a'.repeat(41)} ${'A'.repeat(41)} 1234567 123456`)],
    ['of no byte', Buffer.alloc(0)],
    ['of more text than is indexed of a file', Buffer.from('someWords and1more '.repeat(60_000))],
  ])('%s are the same as those of a query', (_, text) => {
    expect(inverter.scan(text)).toEqual(scanned(text));
  });

  it('do not depend on the text before', () => {
    const letters = fc.constantFrom(...Buffer.from('aAbsSeEdDgGiInNyYlz19_ \n'), 0xc3, 0x9f);
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 40 }), (bytes) => {
        expect(inverter.scan(Uint8Array.from(bytes))).toEqual(scanned(Uint8Array.from(bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  it('still fit for one more document when the inverter is full', () => {
    let documents = 0;
    const add = (): void => {
      const hashes = Int32Array.from({ length: 8192 }, (_, term) =>
        Math.imul(term + documents * 8192, 0x9e3779b1),
      );
      inverter.count(hashes, 1, hashes.length);
      inverter.endDocument(documents++);
    };
    while (!inverter.isFull()) add();
    add();
    let postings = 0;
    for (const encoded of inverter.drain()) postings += encoded.postings.length;
    expect(postings).toBeGreaterThan(documents * 8192);
    expect(inverter.isFull()).toBe(false);
  });

  it.each([
    [
      'are all counted if their hashes are well distributed',
      (term: number) => Math.imul(term, 0x9e3779b1),
      8192,
    ],
    [
      'are skipped beyond the probe limit if all hashes collide',
      (term: number) => (term << 15) | (term & 0x3fff),
      128,
    ],
  ])('%s', (_, hashOf, counted) => {
    const hashes = Int32Array.from({ length: 8192 }, (_unused, term) => hashOf(term));
    inverter.count(hashes, 1, hashes.length);
    inverter.endDocument(0);
    let terms = 0;
    // One byte per term, because all are in one document.
    for (const { frequencies } of inverter.drain()) terms += frequencies.length;
    expect(terms).toBe(counted);
  });
});
