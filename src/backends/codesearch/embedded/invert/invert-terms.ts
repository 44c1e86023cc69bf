import { roomForTerms, scanTerms, stemmed, termScan } from '../format/terms.ts';
import { firstPiece } from './pieces.ts';
import {
  addressOf,
  encodedAtOnce,
  groups,
  hashesBytes,
  maxPairBytes,
  maxSlots,
  pair,
  textBytes,
} from './term-layout.ts';
import { type TermExports, termModule } from './term-module.ts';

/** Counts the terms of one document after another, and inverts the counts to the documents of each term. */
export interface TermInverter {
  /** Returns the hashes of the terms of a text, in order, like `scanTerms`; valid until the next call. */
  scan(text: Uint8Array): Int32Array;
  /**
   * Counts each hash `weight` times. `max` is the maximum number of hashes of this document, which decides how much
   * of the cache the table uses.
   */
  count(hashes: Int32Array, weight: number, max: number): void;
  /** Assigns everything counted since the last call to a document. Numbers must ascend and fit 16 bits. */
  endDocument(document: number): void;
  /** Returns true if the terms of another document may not fit. */
  isFull(): boolean;
  /** Yields the postings in order of terms, and resets after the last. */
  drain(): Generator<EncodedTerms>;
}

/** A chunk of each stream, valid until the next one is requested. */
export interface EncodedTerms {
  readonly postings: Uint8Array;
  readonly differences: Uint8Array;
  readonly frequencies: Uint8Array;
  readonly byteLengths: Uint8Array;
}

const minSlots = 64;

/**
 * Creates an inverter. It uses eight bytes of memory per (term, document) pair and the size of the longest text,
 * until it is garbage-collected.
 */
export function termInverter(): TermInverter {
  const instance = new WebAssembly.Instance(termModule);
  const exports = instance.exports as unknown as TermExports;
  const bytes = new Uint8Array(exports.memory.buffer);
  const numbers = new Int32Array(exports.memory.buffer);
  const next = numbers.subarray(addressOf.next / 4, addressOf.next / 4 + groups);
  bytes.set(termScan.kinds, addressOf.kinds);
  bytes.set(termScan.stemEndings, addressOf.stemEndings);
  bytes.set(termScan.maxLengths, addressOf.maxLengths);

  const begin = (): void => {
    for (let group = 0; group < groups; group++) next[group] = firstPiece(addressOf.pieces, group);
    numbers[addressOf.free / 4] = firstPiece(addressOf.pieces, groups);
    numbers.set([0, -1, 0, 0], addressOf.term / 4);
  };
  const applyStems = (): void => {
    for (let at = addressOf.stems / 4; numbers[at] !== 0; at += 3) {
      const place = numbers[at]! / 4;
      numbers[place] = stemmed(numbers[place]!, bytes, numbers[at + 1]!, numbers[at + 2]!);
    }
  };
  const encode = (from: number, to: number, isLast: number): EncodedTerms => {
    exports.encode(from, to, isLast);
    return {
      postings: bytes.subarray(addressOf.postings, numbers[addressOf.postingsEnd / 4]),
      differences: bytes.subarray(addressOf.differences, numbers[addressOf.differencesEnd / 4]),
      frequencies: bytes.subarray(addressOf.frequencies, numbers[addressOf.frequenciesEnd / 4]),
      byteLengths: bytes.subarray(addressOf.byteLengths, numbers[addressOf.byteLengthsEnd / 4]),
    };
  };

  begin();
  return {
    scan: (text) => {
      if (text.length > textBytes) return scanInJavaScript(text);
      bytes.set(text, addressOf.text);
      // Terminates the last word.
      bytes[addressOf.text + text.length] = 0;
      const end = exports.scan(
        addressOf.text,
        addressOf.text + text.length,
        addressOf.hashes,
        addressOf.stems,
      );
      applyStems();
      return numbers.subarray(addressOf.hashes / 4, end / 4);
    },
    count: (hashes, weight, max) => {
      // The size of the table is set by the first terms of a document and kept for the later ones.
      if (numbers[addressOf.taken / 4] === 0) numbers[addressOf.mask / 4] = slotsFor(max) - 1;
      for (let from = 0; from < hashes.length; from += hashesBytes / 4) {
        const batch = hashes.subarray(from, from + hashesBytes / 4);
        if (batch.byteOffset !== addressOf.hashes || batch.buffer !== numbers.buffer)
          numbers.set(batch, addressOf.hashes / 4);
        exports.count(addressOf.hashes, addressOf.hashes + 4 * batch.length, weight);
      }
    },
    endDocument: (document) => exports.collect(document),
    isFull: () => numbers[addressOf.free / 4]! - addressOf.pieces > maxPairBytes,
    *drain() {
      for (let group = 0; group < groups; group++) {
        if (next[group] === firstPiece(addressOf.pieces, group)) continue;
        const unsorted = numbers[addressOf.free / 4]!;
        bytes.fill(0, addressOf.low, addressOf.slots);
        const end = exports.sort(firstPiece(addressOf.pieces, group), next[group]!, unsorted);
        for (let from = (unsorted + end) / 2; from < end; from += encodedAtOnce * pair) {
          yield encode(from, Math.min(from + encodedAtOnce * pair, end), 0);
        }
      }
      yield encode(0, 0, 1);
      begin();
    },
  };
}

/** Returns the number of slots, so that the table is at most half full. */
function slotsFor(max: number): number {
  let slots = minSlots;
  while (slots < 2 * max && slots < maxSlots) slots *= 2;
  return slots;
}

function scanInJavaScript(text: Uint8Array): Int32Array {
  const found = roomForTerms(text.length);
  return found.hashes.subarray(0, scanTerms(text, 0, text.length, found));
}
