import { decodeColumns } from '../format/columns.ts';
import { COUNT_BITS } from '../format/segment-sections.ts';
import { readVarint, type VarintCursor } from '../format/varint.ts';
import { lowerBound } from './lower-bound.ts';

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

export function termTable(table: ArrayBuffer, read: ReadAt): TermTable {
  const columns = decodeColumns(table);
  const differences = columns.u8(0);
  const count = countVarints(differences);
  const rows: Rows = {
    terms: decodeVarints(differences, count),
    frequencies: decodeVarints(columns.u8(1), count),
    offsets: sums(decodeVarints(columns.u8(2), count)),
    lengths: columns.u32(3),
  };
  for (let index = 1; index < count; index++) rows.terms[index]! += rows.terms[index - 1]!;
  return lookUp(rows, read, readPosting);
}

/** Of segments that were written before terms were packed. */
export function formerTermTable(table: ArrayBuffer, read: ReadAt): TermTable {
  const columns = decodeColumns(table);
  const rows = {
    terms: columns.u32(0),
    frequencies: columns.u32(1),
    offsets: sums(columns.u32(2)),
    lengths: columns.u32(3),
  };
  return lookUp(rows, read, (cursor, found) => {
    found.difference = readVarint(cursor);
    found.count = readVarint(cursor);
  });
}

interface Rows {
  /** Ascending. */
  readonly terms: Uint32Array;
  readonly frequencies: Uint32Array;
  /** Of the postings of each term, and the end. */
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
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
  { terms, frequencies, offsets, lengths }: Rows,
  read: ReadAt,
  next: (cursor: VarintCursor, found: Posting) => void,
): TermTable {
  const indexOf = (term: number): number | undefined => {
    const index = lowerBound(terms.length, (at) => terms[at]! >= term);
    return terms[index] === term ? index : undefined;
  };
  return {
    lengths,
    documentFrequency: (term) => frequencies[indexOf(term) ?? -1] ?? 0,
    each: (term, visit) => {
      const index = indexOf(term);
      if (index === undefined) return;
      const bytes = read(offsets[index]!, offsets[index + 1]! - offsets[index]!);
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

/** Each ends with the one byte of it that is below 0x80. */
function countVarints(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte < 0x80) count++;
  return count;
}

function decodeVarints(bytes: Uint8Array, count: number): Uint32Array {
  const cursor = { bytes, at: 0 };
  const values = new Uint32Array(count);
  for (let index = 0; index < count; index++) values[index] = readVarint(cursor);
  return values;
}
