import { describe, expect, it } from 'vitest';
import { termEncoder } from '../build/encode-terms.ts';
import { encodeColumns } from '../format/columns.ts';
import { formerTermTable, type TermTable, termTable } from './term-table.ts';

const lowest = 0;
const highest = 0xffffffff;
/** By term: documents and counts. */
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

describe('a table of terms', () => {
  it('gives back terms, documents and counts, the smallest and the largest', () => {
    const encoder = termEncoder();
    const rows = [...expected].flatMap(([term, postings]) =>
      postings.map(([document, count]) => ({ term, document, count })),
    );
    const pieces = rows.map(({ term, document, count }) =>
      // One at a time: a term may go on in the next call.
      Buffer.from(encoder.encode(Uint32Array.of(term), Uint32Array.of((document! << 16) | count!))),
    );
    const postings = Buffer.concat(pieces);
    const table = termTable(sectionBytes(encoder.table([9])), (offset, length) =>
      postings.subarray(offset, offset + length),
    );
    expect(contents(table)).toEqual(expected);
    expect(table.documentFrequency(8)).toBe(0);
    expect([...table.lengths]).toEqual([9]);
  });

  it('of a former segment is read as it was written', () => {
    const postings = Buffer.from([0, 1, 0, 3, 0, 4, 0xfd, 0xff, 0x03, 0xff, 0xff, 0x03, 2, 5]);
    const columns = [
      Uint32Array.of(lowest, 7, highest),
      Uint32Array.of(1, 3, 1),
      Uint32Array.of(2, 10, 2),
      Uint32Array.of(9),
    ];
    const table = formerTermTable(sectionBytes(encodeColumns(columns)), (offset, length) =>
      postings.subarray(offset, offset + length),
    );
    expect(contents(table)).toEqual(expected);
    expect([...table.lengths]).toEqual([9]);
  });
});
