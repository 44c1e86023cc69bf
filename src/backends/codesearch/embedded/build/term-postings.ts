import { encodeColumns } from '../format/columns.ts';
import { asPathTerm, eachTerm } from '../format/terms.ts';
import { writeVarint } from '../format/varint.ts';
import { type GrowingWords, growingWords } from './growing-words.ts';

/** A file of data holds thousands of "words" that nobody asks for; more distinct ones are not indexed. */
const MOST_TERMS_OF_DOCUMENT = 8192;
/** A word of the file name says more than one of a folder. */
const NAME_WEIGHT = 2;

/** Collects how often each term stands in each document, and inverts that. */
export interface TermPostings {
  /** Documents are numbered in the order in which they come; at most 65,536. */
  addDocument(path: string, text: Uint8Array): void;
  encode(): { table: Buffer; postings: Buffer };
}

export function collectTermPostings(): TermPostings {
  const dictionary = termDictionary();
  const pairs: Pairs = { terms: growingWords(), postings: growingWords() };
  const lengths: number[] = [];
  let counts = new Uint32Array(1 << 16);
  const touched: number[] = [];

  const count = (term: number, by: number): void => {
    const id = dictionary.idOf(term);
    if (id >= counts.length) counts = grown(counts, id);
    if (counts[id] === 0) {
      if (touched.length >= MOST_TERMS_OF_DOCUMENT) return;
      touched.push(id);
    }
    counts[id]! += by;
  };

  return {
    addDocument: (path, text) => {
      const document = lengths.length;
      let length = 0;
      eachTerm(text, 0, text.length, (term) => {
        length++;
        count(term, 1);
      });
      countPath(path, count);
      for (const id of touched) {
        pairs.terms.push(id);
        pairs.postings.push((document << 16) | Math.min(counts[id]!, 0xffff));
        counts[id] = 0;
      }
      touched.length = 0;
      lengths.push(length);
    },
    encode: () => encode(dictionary.terms(), pairs, lengths),
  };
}

function countPath(path: string, count: (term: number, by: number) => void): void {
  const bytes = Buffer.from(path);
  const name = bytes.lastIndexOf('/') + 1;
  eachTerm(bytes, 0, bytes.length, (term, start) => {
    count(asPathTerm(term), start >= name ? NAME_WEIGHT : 1);
  });
}

/** One entry a (term, document): the term's id, and document << 16 | count. */
interface Pairs {
  readonly terms: GrowingWords;
  readonly postings: GrowingWords;
}

interface TermDictionary {
  idOf(term: number): number;
  /** By id. */
  terms(): Uint32Array;
}

/** Open addressing over hashes that are already well spread. */
function termDictionary(): TermDictionary {
  let slots = new Uint32Array(1 << 16);
  let terms = new Uint32Array(1 << 15);
  let size = 0;
  const place = (table: Uint32Array, term: number): number => {
    const mask = table.length - 1;
    let slot = (term ^ (term >>> 15)) & mask;
    while (table[slot] !== 0 && terms[table[slot]! - 1] !== term) slot = (slot + 1) & mask;
    return slot;
  };
  return {
    idOf: (term) => {
      const slot = place(slots, term);
      if (slots[slot] !== 0) return slots[slot]! - 1;
      if (size === terms.length) {
        terms = grown(terms, size);
        const wider = new Uint32Array(slots.length * 2);
        for (let id = 0; id < size; id++) wider[place(wider, terms[id]!)] = id + 1;
        slots = wider;
      }
      terms[size++] = term;
      slots[place(slots, term)] = size;
      return size - 1;
    },
    terms: () => terms.subarray(0, size),
  };
}

function grown(words: Uint32Array<ArrayBuffer>, index: number): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(Math.max(words.length * 2, index + 1));
  wider.set(words);
  return wider;
}

/** Terms ascending by hash; each posting list: difference of documents, then count, as varints. */
function encode(
  terms: Uint32Array,
  pairs: Pairs,
  lengths: readonly number[],
): { table: Buffer; postings: Buffer } {
  const starts = new Uint32Array(terms.length + 1);
  const total = pairs.terms.length();
  const termChunks = pairs.terms.chunks();
  for (const chunk of termChunks) {
    for (let index = 0; index < chunk.length; index++) starts[chunk[index]! + 1]!++;
  }
  for (let id = 0; id < terms.length; id++) starts[id + 1]! += starts[id]!;
  const sorted = new Uint32Array(total);
  const next = starts.slice();
  pairs.postings.chunks().forEach((chunk, number) => {
    const ids = termChunks[number]!;
    for (let index = 0; index < chunk.length; index++) sorted[next[ids[index]!]!++] = chunk[index]!;
  });
  const ids = Uint32Array.from(terms.keys()).toSorted((a, b) => terms[a]! - terms[b]!);
  const byteLengths = new Uint32Array(terms.length);
  const postings = Buffer.allocUnsafe(total * 6);
  let at = 0;
  ids.forEach((id, rank) => {
    const from = at;
    let last = -1;
    for (let slot = starts[id]!; slot < starts[id + 1]!; slot++) {
      const document = sorted[slot]! >>> 16;
      at = writeVarint(postings, at, document - last - 1);
      at = writeVarint(postings, at, sorted[slot]! & 0xffff);
      last = document;
    }
    byteLengths[rank] = at - from;
  });
  const table = encodeColumns([
    Uint32Array.from(ids, (id) => terms[id]!),
    Uint32Array.from(ids, (id) => starts[id + 1]! - starts[id]!),
    byteLengths,
    Uint32Array.from(lengths),
  ]);
  return { table, postings: postings.subarray(0, at) };
}
