import { type Bits, emptyBits, setBit } from '../../format/bits.ts';
import { decodeColumns } from '../../format/columns.ts';
import { readVarint } from '../../format/varint.ts';

export interface TrigramTable {
  /** Returns the number of bytes of the trigram's postings, a measure of its frequency; 0 if no unit contains it. */
  weight(trigram: number): number;
  /** Returns the units that contain the trigram. */
  units(trigram: number): Bits;
  /** Returns the units that contain at least one of the trigrams. */
  unitsOfAny(trigrams: readonly number[]): Bits;
  /** Removes the units from `found` that do not contain the trigram. */
  keep(found: Bits, trigram: number): void;
}

type ReadPostings = (offset: number, length: number) => Buffer;

/** Number of trigrams per known offset of postings. For the trigrams between, lengths are added up. */
const strideRows = 32;

export function trigramTable(table: ArrayBufferLike, unitCount: number, read: ReadPostings): TrigramTable {
  const columns = decodeColumns(table);
  const keys = columns.u32(0);
  const lengths = columns.u16(1);
  const offsets = offsetsEvery(strideRows, lengths);
  const postings = (index: number, length = lengths[index]!): Buffer => {
    let offset = offsets[Math.floor(index / strideRows)]!;
    for (let before = index - (index % strideRows); before < index; before++) offset += lengths[before]!;
    return read(offset, length);
  };
  return {
    weight: (trigram) => {
      const index = indexOf(keys, trigram);
      return index < 0 ? 0 : lengths[index]!;
    },
    units: (trigram) => {
      const index = indexOf(keys, trigram);
      if (index < 0) return emptyBits(unitCount);
      const bytes = postings(index);
      return (keys[index]! & 1) === 1 ? decodeBitmap(bytes) : decodeList(bytes, unitCount);
    },
    unitsOfAny: (trigrams) => {
      const found = emptyBits(unitCount);
      const known = trigrams.map((trigram) => indexOf(keys, trigram)).filter((index) => index >= 0);
      for (const { first, count } of runsOf(known)) {
        const lists = lengths.subarray(first, first + count);
        const bytes = postings(
          first,
          lists.reduce((sum, length) => sum + length, 0),
        );
        let at = 0;
        lists.forEach((length, place) => {
          const list = bytes.subarray(at, at + length);
          if ((keys[first + place]! & 1) === 1) addBitmap(found, list);
          else addList(found, list);
          at += length;
        });
      }
      return found;
    },
    keep: (found, trigram) => {
      const index = indexOf(keys, trigram);
      if (index < 0) found.fill(0);
      else if ((keys[index]! & 1) === 1) keepBitmap(found, postings(index));
      else keepList(found, postings(index));
    },
  };
}

/** Groups consecutive indexes, whose postings are adjacent in the file. */
function runsOf(indexes: readonly number[]): { readonly first: number; readonly count: number }[] {
  const runs: { first: number; count: number }[] = [];
  for (const index of [...new Set(indexes)].toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.count === index) last.count++;
    else runs.push({ first: index, count: 1 });
  }
  return runs;
}

function offsetsEvery(stride: number, lengths: Uint16Array): Uint32Array {
  const offsets = new Uint32Array(Math.ceil(lengths.length / stride));
  let offset = 0;
  for (let index = 0; index < lengths.length; index++) {
    if (index % stride === 0) offsets[index / stride] = offset;
    offset += lengths[index]!;
  }
  return offsets;
}

/** Keys are `trigram * 2 + dense`, ascending. */
function indexOf(keys: Uint32Array, trigram: number): number {
  let low = 0;
  let high = keys.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = keys[middle]! >>> 1;
    if (found === trigram) return middle;
    if (found < trigram) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function decodeBitmap(bytes: Buffer): Bits {
  const bits = new Uint32Array(bytes.length / 4);
  new Uint8Array(bits.buffer).set(bytes);
  return bits;
}

function decodeList(bytes: Buffer, unitCount: number): Bits {
  const bits = emptyBits(unitCount);
  addList(bits, bytes);
  return bits;
}

function addList(found: Bits, bytes: Buffer): void {
  const cursor = { bytes, at: 0 };
  for (let unit = -1; cursor.at < bytes.length; ) {
    unit += readVarint(cursor) + 1;
    setBit(found, unit);
  }
}

function addBitmap(found: Bits, bytes: Buffer): void {
  const members = decodeBitmap(bytes);
  for (let word = 0; word < found.length; word++) found[word]! |= members[word]!;
}

function keepBitmap(found: Bits, bytes: Buffer): void {
  const members = decodeBitmap(bytes);
  for (let word = 0; word < found.length; word++) found[word]! &= members[word]!;
}

/** Intersects `found` with the list, word by word. */
function keepList(found: Bits, bytes: Buffer): void {
  const cursor = { bytes, at: 0 };
  let word = 0;
  let members = 0;
  for (let unit = -1; cursor.at < bytes.length; ) {
    unit += readVarint(cursor) + 1;
    for (; word < unit >>> 5; word++) {
      found[word]! &= members;
      members = 0;
    }
    members |= 1 << (unit & 31);
  }
  for (; word < found.length; word++) {
    found[word]! &= members;
    members = 0;
  }
}
