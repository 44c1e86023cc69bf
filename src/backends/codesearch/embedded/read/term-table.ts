import { decodeColumns } from '../format/columns.ts';
import { COUNT_BITS } from '../format/segment-sections.ts';
import { readVarint, type VarintCursor } from '../format/varint.ts';
import { lowerBound } from './lower-bound.ts';
import { packedRows, type TermRow } from './packed-rows.ts';

export interface TermTable {
  /** Terms in each document. */
  readonly lengths: Uint32Array;
  /** How many documents hold the term. */
  documentFrequency(term: number): number;
  /** Calls `visit` with each document that holds the term and how often. */
  each(term: number, visit: (document: number, count: number) => void): void;
}

/** Reads the postings section. */
type ReadAt = (offset: number, length: number) => Buffer;
type FindRow = (term: number) => TermRow | undefined;

export function termTable(table: ArrayBufferLike, read: ReadAt): TermTable {
  const columns = decodeColumns(table);
  return lookUp(packedRows([columns.u8(0), columns.u8(1), columns.u8(2)]), columns.u32(3), read, readPosting);
}

/** Of segments that were written before terms were packed. */
export function formerTermTable(table: ArrayBufferLike, read: ReadAt): TermTable {
  const columns = decodeColumns(table);
  const [terms, frequencies, offsets] = [columns.u32(0), columns.u32(1), sums(columns.u32(2))];
  const find: FindRow = (term) => {
    const index = lowerBound(terms.length, (at) => terms[at]! >= term);
    if (terms[index] !== term) return undefined;
    const offset = offsets[index]!;
    return { frequency: frequencies[index]!, offset, bytes: offsets[index + 1]! - offset };
  };
  return lookUp(find, columns.u32(3), read, (cursor, found) => {
    found.difference = readVarint(cursor);
    found.count = readVarint(cursor);
  });
}

interface Posting {
  difference: number;
  count: number;
}

const MOST_COUNT = (1 << COUNT_BITS) - 1;

function readPosting(cursor: VarintCursor, found: Posting): void {
  const value = readVarint(cursor);
  found.difference = value >>> COUNT_BITS;
  found.count = (value & MOST_COUNT) + 1;
  if (found.count > MOST_COUNT) found.count += readVarint(cursor);
}

function lookUp(
  find: FindRow,
  lengths: Uint32Array,
  read: ReadAt,
  next: (cursor: VarintCursor, found: Posting) => void,
): TermTable {
  return {
    lengths,
    documentFrequency: (term) => find(term)?.frequency ?? 0,
    each: (term, visit) => {
      const row = find(term);
      if (row === undefined) return;
      const bytes = read(row.offset, row.bytes);
      const cursor = { bytes, at: 0 };
      const found: Posting = { difference: 0, count: 0 };
      for (let document = -1; cursor.at < bytes.length; ) {
        next(cursor, found);
        document += found.difference + 1;
        visit(document, found.count);
      }
    },
  };
}

/** Where parts of these lengths start, one after another, and the end. */
function sums(lengths: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(lengths.length + 1);
  for (let index = 0; index < lengths.length; index++) offsets[index + 1] = offsets[index]! + lengths[index]!;
  return offsets;
}
