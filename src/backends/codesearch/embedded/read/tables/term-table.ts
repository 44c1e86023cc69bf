import { decodeColumns } from '../../format/columns.ts';
import { countBits } from '../../format/segment-sections.ts';
import { readVarint, type VarintCursor } from '../../format/varint.ts';
import { packedRows } from './packed-rows.ts';

export interface TermTable {
  /** Number of terms in each document. */
  readonly lengths: Uint32Array;
  /** Returns the number of documents that contain the term. */
  documentFrequency(term: number): number;
  /** Calls `visit` with each document that contains the term and the number of its occurrences. */
  each(term: number, visit: (document: number, count: number) => void): void;
}

/** Reads the postings section. */
type ReadAt = (offset: number, length: number) => Buffer;

export function termTable(table: ArrayBufferLike, read: ReadAt): TermTable {
  const columns = decodeColumns(table);
  const find = packedRows([columns.u8(0), columns.u8(1), columns.u8(2)]);
  return {
    lengths: columns.u32(3),
    documentFrequency: (term) => find(term)?.frequency ?? 0,
    each: (term, visit) => {
      const row = find(term);
      if (row === undefined) return;
      const bytes = read(row.offset, row.bytes);
      const cursor = { bytes, at: 0 };
      const found: Posting = { difference: 0, count: 0 };
      for (let document = -1; cursor.at < bytes.length; ) {
        readPosting(cursor, found);
        document += found.difference + 1;
        visit(document, found.count);
      }
    },
  };
}

interface Posting {
  difference: number;
  count: number;
}

const maxCount = (1 << countBits) - 1;

function readPosting(cursor: VarintCursor, found: Posting): void {
  const value = readVarint(cursor);
  found.difference = value >>> countBits;
  found.count = (value & maxCount) + 1;
  if (found.count > maxCount) found.count += readVarint(cursor);
}
