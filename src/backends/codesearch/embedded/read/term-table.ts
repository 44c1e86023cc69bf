import { decodeColumns } from '../format/columns.ts';
import { readVarint } from '../format/varint.ts';
import { lowerBound } from './document-table.ts';

export interface TermTable {
  /** Terms in each document. */
  readonly lengths: Uint32Array;
  /** How many documents hold the term. */
  documentFrequency(term: number): number;
  /** Calls `visit` with each document that holds the term and how often. */
  each(term: number, visit: (document: number, count: number) => void): void;
}

export function termTable(table: ArrayBuffer, read: (offset: number, length: number) => Buffer): TermTable {
  const columns = decodeColumns(table);
  const terms = columns.u32(0);
  const frequencies = columns.u32(1);
  const byteLengths = columns.u32(2);
  const offsets = new Uint32Array(terms.length + 1);
  for (let index = 0; index < terms.length; index++)
    offsets[index + 1] = offsets[index]! + byteLengths[index]!;
  const indexOf = (term: number): number | undefined => {
    const index = lowerBound(terms.length, (at) => terms[at]! >= term);
    return terms[index] === term ? index : undefined;
  };
  return {
    lengths: columns.u32(3),
    documentFrequency: (term) => frequencies[indexOf(term) ?? -1] ?? 0,
    each: (term, visit) => {
      const index = indexOf(term);
      if (index === undefined) return;
      const bytes = read(offsets[index]!, byteLengths[index]!);
      const cursor = { bytes, at: 0 };
      for (let document = -1; cursor.at < bytes.length; ) {
        document += readVarint(cursor) + 1;
        visit(document, readVarint(cursor));
      }
    },
  };
}
