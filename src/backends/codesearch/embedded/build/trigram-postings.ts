import { setImmediate as nextTurn } from 'node:timers/promises';
import { FOLD, TRIGRAMS } from '../format/trigram.ts';
import { trigramEncoder } from './encode-trigrams.ts';
import { trigramGroups } from './trigram-groups.ts';

/**
 * Collects the distinct trigrams of each unit and inverts them, in typed arrays of 4 bytes a (trigram, unit) pair that
 * are kept from one segment to the next.
 */
export interface TrigramPostings {
  /** Units are numbered in the order in which they come; at most 65,536. */
  addUnit(bytes: Uint8Array, ascii: boolean): void;
  /**
   * Hands the postings to `write`, piece by piece, and gives their table. A piece is only good during the call. Lets
   * other work run in between; nothing may be added meanwhile. The next unit is the first of another segment.
   */
  encode(write: (piece: Uint8Array) => void): Promise<Buffer>;
}

const NEWLINE = 0x0a;
export function collectTrigramPostings(): TrigramPostings {
  const seen = onlyThoseWithNewlines();
  const groups = trigramGroups();
  let found = new Uint32Array(1 << 15);
  let units = 0;
  return {
    addUnit: (bytes, ascii) => {
      if (found.length < 2 * bytes.length) found = new Uint32Array(2 * bytes.length);
      let count = noteTrigrams(bytes, seen, found, 0);
      if (!ascii) count = noteFoldedLetters(bytes, seen, found, count);
      for (let index = 0; index < count; index++) seen[found[index]!] = 0;
      groups.add(found, count, units++);
    },
    encode: async (write) => {
      const encoder = trigramEncoder(units);
      for (const group of groups.drain()) {
        await nextTurn();
        write(encoder.encode(group));
      }
      units = 0;
      return encoder.table();
    },
  };
}

/** A byte a trigram. No trigram spans two lines, as no match does: those with a newline count as seen for ever. */
function onlyThoseWithNewlines(): Uint8Array {
  const seen = new Uint8Array(TRIGRAMS);
  seen.fill(1, NEWLINE << 14, (NEWLINE + 1) << 14);
  for (let pair = NEWLINE << 7; pair < TRIGRAMS; pair += 1 << 14) seen.fill(1, pair, pair + (1 << 7));
  for (let trigram = NEWLINE; trigram < TRIGRAMS; trigram += 1 << 7) seen[trigram] = 1;
  return seen;
}

/**
 * Writes the trigrams that are not in `seen` into `found` from `count` on, and gives the new count. It runs over every
 * byte of every repository: four bytes a round, so that their look-ups overlap.
 */
function noteTrigrams(bytes: Uint8Array, seen: Uint8Array, found: Uint32Array, count: number): number {
  const mask = TRIGRAMS - 1;
  let next = count;
  let last = (NEWLINE << 7) | NEWLINE;
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    const first = ((last << 7) | FOLD[bytes[at]!]!) & mask;
    const second = ((first << 7) | FOLD[bytes[at + 1]!]!) & mask;
    const third = ((second << 7) | FOLD[bytes[at + 2]!]!) & mask;
    last = ((third << 7) | FOLD[bytes[at + 3]!]!) & mask;
    if (seen[first] === 0) {
      seen[first] = 1;
      found[next++] = first;
    }
    if (seen[second] === 0) {
      seen[second] = 1;
      found[next++] = second;
    }
    if (seen[third] === 0) {
      seen[third] = 1;
      found[next++] = third;
    }
    if (seen[last] === 0) {
      seen[last] = 1;
      found[next++] = last;
    }
  }
  for (; at < bytes.length; at++) {
    last = ((last << 7) | FOLD[bytes[at]!]!) & mask;
    if (seen[last] === 0) {
      seen[last] = 1;
      found[next++] = last;
    }
  }
  return next;
}

/**
 * Two letters outside ASCII fold to ASCII ones (Unicode CaseFolding: U+017F to s, U+212A to k). A line that holds one
 * is indexed once more with it folded, so that the trigrams of a case-insensitive query find it.
 */
function noteFoldedLetters(bytes: Uint8Array, seen: Uint8Array, found: Uint32Array, count: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes('\u017f') && !text.includes('\u212a')) return count;
  const folded = text
    .toString('latin1')
    .replaceAll('\u00c5\u00bf', 's')
    .replaceAll('\u00e2\u0084\u00aa', 'k');
  return noteTrigrams(Buffer.from(folded, 'latin1'), seen, found, count);
}
