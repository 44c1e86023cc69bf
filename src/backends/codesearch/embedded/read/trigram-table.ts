import { type Bits, emptyBits, setBit } from '../format/bits.ts';
import { decodeColumns } from '../format/columns.ts';
import { readVarint } from '../format/varint.ts';

export interface TrigramTable {
  /** Bytes of the trigram's postings, a measure of how common it is; 0 when no unit holds it. */
  weight(trigram: number): number;
  /** The units that hold the trigram. */
  units(trigram: number): Bits;
}

type ReadPostings = (offset: number, length: number) => Buffer;

export function trigramTable(table: ArrayBuffer, unitCount: number, read: ReadPostings): TrigramTable {
  const columns = decodeColumns(table);
  const keys = columns.u32(0);
  const lengths = columns.u16(1);
  const offsets = new Uint32Array(keys.length + 1);
  for (let index = 0; index < keys.length; index++) offsets[index + 1] = offsets[index]! + lengths[index]!;
  return {
    weight: (trigram) => {
      const index = indexOf(keys, trigram);
      return index < 0 ? 0 : lengths[index]!;
    },
    units: (trigram) => {
      const index = indexOf(keys, trigram);
      if (index < 0) return emptyBits(unitCount);
      const bytes = read(offsets[index]!, lengths[index]!);
      return (keys[index]! & 1) === 1 ? decodeBitmap(bytes) : decodeList(bytes, unitCount);
    },
  };
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
  const cursor = { bytes, at: 0 };
  for (let unit = -1; cursor.at < bytes.length; ) {
    unit += readVarint(cursor) + 1;
    setBit(bits, unit);
  }
  return bits;
}
