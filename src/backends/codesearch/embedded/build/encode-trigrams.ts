import { encodeColumns } from '../format/columns.ts';
import { writeVarint } from '../format/varint.ts';
import { GROUP_BITS, type TrigramGroup } from './trigram-groups.ts';
import { withRoom } from './with-room.ts';

const IN_GROUP = (1 << GROUP_BITS) - 1;
const MOST_VARINT_BYTES = 3;

export interface TrigramEncoder {
  /** The postings of a group; groups come in order. The bytes are good until the next call. */
  encode(group: TrigramGroup): Buffer;
  table(): Buffer;
}

/** A trigram's units as differences, or as a bit a unit where that is shorter. */
export function trigramEncoder(unitCount: number): TrigramEncoder {
  const bitmapBytes = ((unitCount + 31) >>> 5) * 4;
  const ends = new Uint32Array(IN_GROUP + 1);
  let units = new Uint16Array(0);
  let bytes = Buffer.alloc(0);
  let keys = new Uint32Array(1 << 16);
  let lengths = new Uint32Array(1 << 16);
  let size = 0;
  return {
    encode: ({ group, count, pieces }) => {
      if (units.length < count) {
        units = new Uint16Array(2 * count);
        bytes = Buffer.allocUnsafeSlow(2 * count * MOST_VARINT_BYTES);
      }
      const distinct = sortByTrigram(pieces, count, ends, units);
      keys = withRoom(keys, size, distinct);
      lengths = withRoom(lengths, size, distinct);
      let at = 0;
      let from = 0;
      for (let rest = 0; rest <= IN_GROUP; rest++) {
        const to = ends[rest]!;
        if (to === from) continue;
        let end = to - from > bitmapBytes ? at + bitmapBytes + 1 : writeList(bytes, at, units, from, to);
        const dense = end - at > bitmapBytes;
        if (dense) end = writeBitmap(bytes, at, units.subarray(from, to), bitmapBytes);
        keys[size] = ((group << GROUP_BITS) + rest) * 2 + (dense ? 1 : 0);
        lengths[size++] = end - at;
        at = end;
        from = to;
      }
      return bytes.subarray(0, at);
    },
    table: () => encodeColumns([keys.subarray(0, size), Uint16Array.from(lengths.subarray(0, size))]),
  };
}

/** Counting sort. Leaves in `ends` where the units of each trigram end; gives how many trigrams have some. */
function sortByTrigram(
  pieces: readonly Uint32Array[],
  count: number,
  ends: Uint32Array,
  units: Uint16Array,
): number {
  ends.fill(0);
  eachPiece(pieces, count, (pairs, length) => {
    for (let index = 0; index < length; index++) ends[pairs[index]! >>> 16]!++;
  });
  let total = 0;
  let distinct = 0;
  for (let rest = 0; rest < ends.length; rest++) {
    const inTrigram = ends[rest]!;
    if (inTrigram > 0) distinct++;
    ends[rest] = total;
    total += inTrigram;
  }
  eachPiece(pieces, count, (pairs, length) => {
    for (let index = 0; index < length; index++) {
      const pair = pairs[index]!;
      units[ends[pair >>> 16]!++] = pair;
    }
  });
  return distinct;
}

function eachPiece(
  pieces: readonly Uint32Array[],
  count: number,
  visit: (pairs: Uint32Array, length: number) => void,
): void {
  let left = count;
  for (const piece of pieces) {
    visit(piece, Math.min(left, piece.length));
    left -= piece.length;
  }
}

function writeList(bytes: Buffer, at: number, units: Uint16Array, from: number, to: number): number {
  let position = at;
  let last = -1;
  for (let index = from; index < to; index++) {
    const unit = units[index]!;
    const difference = unit - last - 1;
    // Nearly always; the call costs more than the byte.
    if (difference < 0x80) bytes[position++] = difference;
    else position = writeVarint(bytes, position, difference);
    last = unit;
  }
  return position;
}

function writeBitmap(bytes: Buffer, at: number, units: Uint16Array, length: number): number {
  bytes.fill(0, at, at + length);
  for (const unit of units) bytes[at + (unit >>> 3)]! |= 1 << (unit & 7);
  return at + length;
}
