import { setImmediate as nextTurn } from 'node:timers/promises';
import { asPathTerm, type FoundTerms, NAME_WEIGHT, roomForTerms, scanTerms } from '../format/terms.ts';
import { type TermCounts, termCounts } from './count-terms.ts';
import { termEncoder } from './encode-terms.ts';
import { termNotes } from './note-terms.ts';
import { withRoom } from './with-room.ts';

/** Pairs that are encoded before other work may run. */
const ENCODED_AT_ONCE = 1 << 16;
/** Digits of the sort by term: where they start, and how many bits they are. */
const DIGITS = [
  { shift: 0, bits: 11 },
  { shift: 11, bits: 11 },
  { shift: 22, bits: 10 },
] as const;

/**
 * Collects how often each term stands in each document, and inverts that. Typed arrays only: 8 bytes a (term, document)
 * pair while collecting, 8 more while inverting. They are kept from one segment to the next.
 */
export interface TermPostings {
  /** Documents are numbered in the order in which they come; at most 65,536. */
  addDocument(path: string, text: Uint8Array): void;
  /** As `TrigramPostings.encode`. */
  encode(write: (piece: Uint8Array) => void): Promise<Buffer>;
}

/** Side by side: the term, and document << 16 | count. */
interface Pairs {
  terms: Uint32Array<ArrayBuffer>;
  postings: Uint32Array<ArrayBuffer>;
}

export function collectTermPostings(): TermPostings {
  const counts = termCounts();
  let pairs = roomForPairs(1 << 16);
  let spare = roomForPairs(0);
  const notes = termNotes();
  let inPath = roomForTerms(256);
  let used = 0;
  let lengths: number[] = [];
  return {
    addDocument: (path, text) => {
      const name = Buffer.from(path);
      const inText = notes.of(text);
      const { length } = inText;
      counts.begin(length + name.length);
      counts.add(inText, length, 1);
      if (inPath.bytes < name.length) inPath = roomForTerms(2 * name.length);
      countPath(name, inPath, counts);
      pairs.terms = withRoom(pairs.terms, used, counts.size());
      pairs.postings = withRoom(pairs.postings, used, counts.size());
      used = counts.copyTo(pairs.terms, pairs.postings, used, lengths.length);
      lengths.push(length);
    },
    encode: async (write) => {
      if (spare.terms.length < used) spare = roomForPairs(pairs.terms.length);
      for (const digit of DIGITS) {
        await nextTurn();
        sortByDigit(pairs, spare, used, digit);
        [pairs, spare] = [spare, pairs];
      }
      const encoder = termEncoder();
      for (let from = 0; from < used; from += ENCODED_AT_ONCE) {
        await nextTurn();
        const to = Math.min(from + ENCODED_AT_ONCE, used);
        write(encoder.encode(pairs.terms.subarray(from, to), pairs.postings.subarray(from, to)));
      }
      const table = encoder.table(lengths);
      used = 0;
      lengths = [];
      return table;
    },
  };
}

function countPath(path: Buffer, found: FoundTerms, counts: TermCounts): void {
  const name = path.lastIndexOf('/') + 1;
  countPart(path, 0, name, 1);
  countPart(path, name, path.length, NAME_WEIGHT);

  function countPart(bytes: Buffer, from: number, to: number, weight: number): void {
    const count = scanTerms(bytes, from, to, found);
    for (let index = 0; index < count; index++) found.hashes[index] = asPathTerm(found.hashes[index]!);
    counts.add(found.hashes, count, weight);
  }
}

function roomForPairs(count: number): Pairs {
  return { terms: new Uint32Array(count), postings: new Uint32Array(count) };
}

/** One pass of a radix sort: stable, so that documents stay in order. */
function sortByDigit(from: Pairs, to: Pairs, count: number, { shift, bits }: (typeof DIGITS)[number]): void {
  const mask = (1 << bits) - 1;
  const starts = new Uint32Array(mask + 2);
  const { terms, postings } = from;
  for (let index = 0; index < count; index++) starts[((terms[index]! >>> shift) & mask) + 1]!++;
  for (let digit = 0; digit < mask; digit++) starts[digit + 1]! += starts[digit]!;
  for (let index = 0; index < count; index++) {
    const term = terms[index]!;
    const place = starts[(term >>> shift) & mask]!++;
    to.terms[place] = term;
    to.postings[place] = postings[index]!;
  }
}
