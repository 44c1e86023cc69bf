import { setBit } from '../format/bits.ts';
import { encodeColumns } from '../format/columns.ts';
import { FOLD, TRIGRAMS } from '../format/trigram.ts';
import { varintLength, writeVarint } from '../format/varint.ts';
import { type GrowingWords, growingWords } from './growing-words.ts';

const NEWLINE = 0x0a;

/**
 * Collects the distinct trigrams of each unit and inverts them. Typed arrays only: 4 bytes a (trigram, unit) pair while
 * collecting, 2 more while inverting.
 */
export interface TrigramPostings {
  /** Units are numbered in the order in which they come; at most 65,536. */
  addUnit(bytes: Uint8Array, ascii: boolean): void;
  encode(): { table: Buffer; postings: Buffer };
}

export function collectTrigramPostings(): TrigramPostings {
  const seen = new Uint32Array(TRIGRAMS >>> 5);
  const pairs = growingWords();
  const unitEnds: number[] = [];
  let found = new Uint32Array(1 << 15);
  return {
    addUnit: (bytes, ascii) => {
      if (found.length < 2 * bytes.length) found = new Uint32Array(2 * bytes.length);
      let count = noteTrigrams(bytes, seen, found, 0);
      if (!ascii) count = noteFoldedLetters(bytes, seen, found, count);
      for (let index = 0; index < count; index++) seen[found[index]! >>> 5] = 0;
      pairs.append(found.subarray(0, count));
      unitEnds.push(pairs.length());
    },
    encode: () => invert(pairs, unitEnds),
  };
}

/**
 * Writes the trigrams that are not in `seen` into `found` from `count` on, and gives the new count. No trigram spans
 * two lines: neither does a match. One plain loop: it runs over every byte of every repository.
 */
function noteTrigrams(bytes: Uint8Array, seen: Uint32Array, found: Uint32Array, count: number): number {
  let next = count;
  let trigram = 0;
  let letters = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === NEWLINE) {
      letters = 0;
      continue;
    }
    trigram = ((trigram << 7) | FOLD[byte]!) & (TRIGRAMS - 1);
    if (++letters < 3) continue;
    const word = seen[trigram >>> 5]!;
    const bit = 1 << (trigram & 31);
    if ((word & bit) !== 0) continue;
    seen[trigram >>> 5] = word | bit;
    found[next++] = trigram;
  }
  return next;
}

/**
 * Two letters outside ASCII fold to ASCII ones (Unicode CaseFolding: U+017F to s, U+212A to k). A line that holds one
 * is indexed once more with it folded, so that the trigrams of a case-insensitive query find it.
 */
function noteFoldedLetters(bytes: Uint8Array, seen: Uint32Array, found: Uint32Array, count: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes('\u017f') && !text.includes('\u212a')) return count;
  const folded = text
    .toString('latin1')
    .replaceAll('\u00c5\u00bf', 's')
    .replaceAll('\u00e2\u0084\u00aa', 'k');
  return noteTrigrams(Buffer.from(folded, 'latin1'), seen, found, count);
}

/** Counting sort by trigram, then each trigram's units as differences, or as a bit a unit where that is shorter. */
function invert(pairs: GrowingWords, unitEnds: readonly number[]): { table: Buffer; postings: Buffer } {
  const ends = new Uint32Array(TRIGRAMS);
  for (const chunk of pairs.chunks()) {
    for (let index = 0; index < chunk.length; index++) ends[chunk[index]!]!++;
  }
  let total = 0;
  let distinct = 0;
  for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
    const count = ends[trigram]!;
    if (count > 0) distinct++;
    ends[trigram] = total;
    total += count;
  }
  const units = new Uint16Array(total);
  let unit = 0;
  let position = 0;
  for (const chunk of pairs.chunks()) {
    for (let index = 0; index < chunk.length; index++) {
      while (position === unitEnds[unit]) unit++;
      units[ends[chunk[index]!]!++] = unit;
      position++;
    }
  }
  return encode(units, ends, distinct, unitEnds.length);
}

function encode(
  units: Uint16Array,
  ends: Uint32Array,
  distinct: number,
  unitCount: number,
): { table: Buffer; postings: Buffer } {
  const keys = new Uint32Array(distinct);
  const lengths = new Uint16Array(distinct);
  const bitmapBytes = ((unitCount + 31) >>> 5) * 4;
  const postings = Buffer.allocUnsafe(units.length * 3);
  let key = 0;
  let at = 0;
  let from = 0;
  for (let trigram = 0; trigram < TRIGRAMS; trigram++) {
    const to = ends[trigram]!;
    if (to === from) continue;
    const list = units.subarray(from, to);
    const dense = listBytes(list) > bitmapBytes;
    const end = dense ? writeBitmap(postings, at, list, bitmapBytes) : writeList(postings, at, list);
    keys[key] = trigram * 2 + (dense ? 1 : 0);
    lengths[key++] = end - at;
    at = end;
    from = to;
  }
  return { table: encodeColumns([keys, lengths]), postings: postings.subarray(0, at) };
}

function listBytes(list: Uint16Array): number {
  let bytes = 0;
  let last = -1;
  for (const unit of list) {
    bytes += varintLength(unit - last - 1);
    last = unit;
  }
  return bytes;
}

function writeList(postings: Buffer, at: number, list: Uint16Array): number {
  let position = at;
  let last = -1;
  for (const unit of list) {
    position = writeVarint(postings, position, unit - last - 1);
    last = unit;
  }
  return position;
}

function writeBitmap(postings: Buffer, at: number, list: Uint16Array, bytes: number): number {
  const bits = new Uint32Array(bytes / 4);
  for (const unit of list) setBit(bits, unit);
  postings.set(new Uint8Array(bits.buffer), at);
  return at + bytes;
}
