import { encodeColumns } from '../format/columns.ts';
import { COUNT_BITS } from '../format/segment-sections.ts';
import { writeVarint } from '../format/varint.ts';
import { GrowingBytes } from './growing-bytes.ts';

/** Of one posting: up to three for the document, and three for a large count. */
const MOST_POSTING_BYTES = 6;
/** What fits into a posting. */
const MOST_COUNT = (1 << COUNT_BITS) - 1;

export interface TermEncoder {
  /** The postings of pairs in order of term and document; the next call goes on from there. Good until then. */
  encode(terms: Uint32Array, postings: Uint32Array): Buffer;
  /** `lengths`: the terms in each document. */
  table(lengths: readonly number[]): Buffer;
}

/** Terms ascending by hash, each with its postings. */
export function termEncoder(): TermEncoder {
  const differences = new GrowingBytes();
  const frequencies = new GrowingBytes();
  const byteLengths = new GrowingBytes();
  let bytes = Buffer.alloc(0);
  const last = { term: 0, document: -1, frequency: 0, byteLength: 0 };
  const endTerm = (): void => {
    if (last.frequency === 0) return;
    frequencies.varint(last.frequency);
    byteLengths.varint(last.byteLength);
    last.frequency = 0;
    last.byteLength = 0;
    last.document = -1;
  };
  return {
    encode: (terms, postings) => {
      if (bytes.length < postings.length * MOST_POSTING_BYTES) {
        bytes = Buffer.allocUnsafeSlow(postings.length * MOST_POSTING_BYTES);
      }
      let at = 0;
      for (let index = 0; index < postings.length; index++) {
        const term = terms[index]!;
        if (term !== last.term || last.frequency === 0) {
          endTerm();
          differences.varint(term - last.term);
          last.term = term;
        }
        const posting = postings[index]!;
        const end = writePosting(bytes, at, (posting >>> 16) - last.document - 1, posting & 0xffff);
        last.document = posting >>> 16;
        last.frequency++;
        last.byteLength += end - at;
        at = end;
      }
      return bytes.subarray(0, at);
    },
    table: (lengths) => {
      endTerm();
      return encodeColumns([
        differences.take(),
        frequencies.take(),
        byteLengths.take(),
        Uint32Array.from(lengths),
      ]);
    },
  };
}

function writePosting(bytes: Buffer, at: number, difference: number, count: number): number {
  if (count <= MOST_COUNT) return writeVarint(bytes, at, (difference << COUNT_BITS) | (count - 1));
  const position = writeVarint(bytes, at, (difference << COUNT_BITS) | MOST_COUNT);
  return writeVarint(bytes, position, count - MOST_COUNT - 1);
}
