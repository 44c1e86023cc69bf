import { encodeColumns } from '../format/columns.ts';
import { writeVarint } from '../format/varint.ts';
import { withRoom } from './with-room.ts';

/** Of one posting: a document takes up to three bytes, a count as well. */
const MOST_POSTING_BYTES = 6;

export interface TermEncoder {
  /** The postings of pairs in order of term and document; the next call goes on from there. Good until then. */
  encode(terms: Uint32Array, postings: Uint32Array): Buffer;
  /** `lengths`: the terms in each document. */
  table(lengths: readonly number[]): Buffer;
}

/** Terms ascending by hash; each posting list: difference of documents, then count, as varints. */
export function termEncoder(): TermEncoder {
  let terms = new Uint32Array(1 << 14);
  let frequencies = new Uint32Array(1 << 14);
  let byteLengths = new Uint32Array(1 << 14);
  let bytes = Buffer.alloc(0);
  let size = 0;
  let document = -1;
  return {
    encode: (pairTerms, postings) => {
      if (bytes.length < postings.length * MOST_POSTING_BYTES) {
        bytes = Buffer.allocUnsafeSlow(postings.length * MOST_POSTING_BYTES);
      }
      terms = withRoom(terms, size, postings.length);
      frequencies = withRoom(frequencies, size, postings.length);
      byteLengths = withRoom(byteLengths, size, postings.length);
      let at = 0;
      for (let index = 0; index < postings.length; index++) {
        const term = pairTerms[index]!;
        if (size === 0 || terms[size - 1] !== term) {
          terms[size++] = term;
          document = -1;
        }
        const posting = postings[index]!;
        const from = at;
        at = writeVarint(bytes, at, (posting >>> 16) - document - 1);
        at = writeVarint(bytes, at, posting & 0xffff);
        document = posting >>> 16;
        frequencies[size - 1]!++;
        byteLengths[size - 1]! += at - from;
      }
      return bytes.subarray(0, at);
    },
    table: (lengths) =>
      encodeColumns([
        terms.subarray(0, size),
        frequencies.subarray(0, size),
        byteLengths.subarray(0, size),
        Uint32Array.from(lengths),
      ]),
  };
}
