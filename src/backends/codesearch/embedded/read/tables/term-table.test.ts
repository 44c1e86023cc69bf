import { describe, expect, it } from 'vitest';
import { encodeColumns } from '../../format/columns.ts';
import { type TermInverter, termInverter } from '../../invert/invert-terms.ts';
import { type TermTable, termTable } from './term-table.ts';

const lowest = 0;
const highest = 0xffffffff;
/** Documents and counts by term. */
const expected = new Map([
  [lowest, [[0, 1]]],
  [
    7,
    [
      [0, 3],
      [1, 4],
      [65_535, 65_535],
    ],
  ],
  [highest, [[2, 5]]],
]);

function sectionBytes(section: Buffer): ArrayBuffer {
  return new Uint8Array(section).buffer;
}

function contents(table: TermTable): Map<number, number[][]> {
  return new Map(
    [...expected.keys()].map((term) => {
      const found: number[][] = [];
      table.each(term, (document, count) => found.push([document, count]));
      expect(table.documentFrequency(term)).toBe(found.length);
      return [term, found];
    }),
  );
}

function tableOf(inverter: TermInverter, lengths: number[]): TermTable {
  const streams = Array.from(inverter.drain(), ({ postings, differences, frequencies, byteLengths }) =>
    [postings, differences, frequencies, byteLengths].map((stream) => Buffer.from(stream)),
  );
  const stream = (index: number): Buffer => Buffer.concat(streams.map((all) => all[index]!));
  const columns = encodeColumns([stream(1), stream(2), stream(3), Uint32Array.from(lengths)]);
  return termTable(sectionBytes(columns), (offset, length) => stream(0).subarray(offset, offset + length));
}

describe('a table of terms', () => {
  it('returns terms, documents and counts, including the smallest and the largest', () => {
    const inverter = termInverter();
    for (const document of [0, 1, 2, 65_535]) {
      for (const [term, postings] of expected) {
        const [, count] = postings.find(([holder]) => holder === document) ?? [];
        if (count !== undefined) inverter.count(Int32Array.of(term), count, expected.size);
      }
      inverter.endDocument(document);
    }
    const table = tableOf(inverter, [9]);
    expect(contents(table)).toEqual(expected);
    expect(table.documentFrequency(8)).toBe(0);
    expect([...table.lengths]).toEqual([9]);
  });

  it('returns a term of more documents than are encoded at once', () => {
    const inverter = termInverter();
    const documents = Array.from({ length: 65_535 }, (_, document) => document);
    for (const document of documents) {
      inverter.count(Int32Array.of(1 << 24, 7), 1 + (document % 70), 2);
      inverter.endDocument(document);
    }
    const table = tableOf(inverter, []);
    for (const term of [7, 1 << 24]) {
      const found: number[] = [];
      table.each(term, (document, count) => {
        if (count === 1 + (document % 70)) found.push(document);
      });
      expect(found).toEqual(documents);
    }
  });
});
