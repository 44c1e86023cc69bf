import { roomForTerms, scanTerms, stemmed, TERM_SCAN } from '../format/terms.ts';
import { firstPiece } from './pieces.ts';
import {
  AT,
  ENCODED_AT_ONCE,
  GROUPS,
  HASHES_BYTES,
  MOST_PAIR_BYTES,
  MOST_SLOTS,
  PAIR,
  TEXT_BYTES,
} from './term-layout.ts';
import { type TermExports, termModule } from './term-module.ts';

/** Counts the terms of one document after another, and tells which documents hold each. */
export interface TermInverter {
  /** The hashes of the terms of a text, in order, as `scanTerms` finds them; good until the next. */
  scan(text: Uint8Array): Int32Array;
  /** Counts each hash `weight` times; at most `most` come for this document, which decides how much of the cache it takes. */
  count(hashes: Int32Array, weight: number, most: number): void;
  /** The document holds what was counted since the last. Numbers ascend, and fit 16 bits. */
  endDocument(document: number): void;
  /** There may be no room for the terms of another document. */
  isFull(): boolean;
  /** Takes the postings out, in order of terms; begins anew after the last. */
  drain(): Generator<EncodedTerms>;
}

/** One stretch of each stream, good until the next is asked for. */
export interface EncodedTerms {
  readonly postings: Uint8Array;
  readonly differences: Uint8Array;
  readonly frequencies: Uint8Array;
  readonly byteLengths: Uint8Array;
}

const LEAST_SLOTS = 64;

/** Memory is eight bytes a (term, document) pair and what the longest text takes. It stays until all of this is garbage. */
export function termInverter(): TermInverter {
  const instance = new WebAssembly.Instance(termModule);
  const exports = instance.exports as unknown as TermExports;
  const bytes = new Uint8Array(exports.memory.buffer);
  const numbers = new Int32Array(exports.memory.buffer);
  const next = numbers.subarray(AT.next / 4, AT.next / 4 + GROUPS);
  bytes.set(TERM_SCAN.kindOf, AT.kinds);
  bytes.set(TERM_SCAN.mayEndIn, AT.mayEndIn);
  bytes.set(TERM_SCAN.longest, AT.longest);

  const begin = (): void => {
    for (let group = 0; group < GROUPS; group++) next[group] = firstPiece(AT.pieces, group);
    numbers[AT.free / 4] = firstPiece(AT.pieces, GROUPS);
    numbers.set([0, -1, 0, 0], AT.term / 4);
  };
  const restem = (): void => {
    for (let at = AT.stems / 4; numbers[at] !== 0; at += 3) {
      const place = numbers[at]! / 4;
      numbers[place] = stemmed(numbers[place]!, bytes, numbers[at + 1]!, numbers[at + 2]!);
    }
  };
  const encode = (from: number, to: number, isLast: number): EncodedTerms => {
    exports.encode(from, to, isLast);
    return {
      postings: bytes.subarray(AT.postings, numbers[AT.postingsEnd / 4]),
      differences: bytes.subarray(AT.differences, numbers[AT.differencesEnd / 4]),
      frequencies: bytes.subarray(AT.frequencies, numbers[AT.frequenciesEnd / 4]),
      byteLengths: bytes.subarray(AT.byteLengths, numbers[AT.byteLengthsEnd / 4]),
    };
  };

  begin();
  return {
    scan: (text) => {
      if (text.length > TEXT_BYTES) return scannedHere(text);
      bytes.set(text, AT.text);
      // What ends the last word.
      bytes[AT.text + text.length] = 0;
      const end = exports.scan(AT.text, AT.text + text.length, AT.hashes, AT.stems);
      restem();
      return numbers.subarray(AT.hashes / 4, end / 4);
    },
    count: (hashes, weight, most) => {
      // Of the first terms of a document: those after them find what these left.
      if (numbers[AT.taken / 4] === 0) numbers[AT.mask / 4] = slotsFor(most) - 1;
      for (let from = 0; from < hashes.length; from += HASHES_BYTES / 4) {
        const some = hashes.subarray(from, from + HASHES_BYTES / 4);
        if (some.byteOffset !== AT.hashes || some.buffer !== numbers.buffer) numbers.set(some, AT.hashes / 4);
        exports.count(AT.hashes, AT.hashes + 4 * some.length, weight);
      }
    },
    endDocument: (document) => exports.gather(document),
    isFull: () => numbers[AT.free / 4]! - AT.pieces > MOST_PAIR_BYTES,
    *drain() {
      for (let group = 0; group < GROUPS; group++) {
        if (next[group] === firstPiece(AT.pieces, group)) continue;
        const unsorted = numbers[AT.free / 4]!;
        bytes.fill(0, AT.low, AT.slots);
        const end = exports.sort(firstPiece(AT.pieces, group), next[group]!, unsorted);
        for (let from = (unsorted + end) / 2; from < end; from += ENCODED_AT_ONCE * PAIR) {
          yield encode(from, Math.min(from + ENCODED_AT_ONCE * PAIR, end), 0);
        }
      }
      yield encode(0, 0, 1);
      begin();
    },
  };
}

/** Never more than half full. */
function slotsFor(most: number): number {
  let slots = LEAST_SLOTS;
  while (slots < 2 * most && slots < MOST_SLOTS) slots *= 2;
  return slots;
}

function scannedHere(text: Uint8Array): Int32Array {
  const found = roomForTerms(text.length);
  return found.hashes.subarray(0, scanTerms(text, 0, text.length, found));
}
