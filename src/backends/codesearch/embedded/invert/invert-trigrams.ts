import { foldTable, trigrams } from '../format/trigram.ts';
import { firstPiece } from './pieces.ts';
import { addressOf, groups, inGroup, maxPairBytes, restBits, textBytes } from './trigram-layout.ts';
import { type TrigramExports, trigramModule } from './trigram-module.ts';

/** Finds the distinct trigrams of one unit after another, and inverts them to the units of each trigram. */
export interface TrigramInverter {
  /** Adds the trigrams of another piece of text of the unit. No trigram spans two pieces. */
  note(bytes: Uint8Array): void;
  /** Assigns everything added since the last call to a unit. Numbers must ascend and fit 16 bits. */
  endUnit(unit: number): void;
  /** Returns true if the units of another file may not fit. */
  isFull(): boolean;
  /** Yields the postings in order of trigrams, as lists or bitmaps of `unitCount` units, and resets after the last. */
  drain(unitCount: number): Generator<EncodedTrigrams>;
}

/**
 * Concatenated postings, valid until the next ones are requested; for each, trigram * 2 + dense, and its size in
 * bytes.
 */
export interface EncodedTrigrams {
  readonly postings: Uint8Array;
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly lengths: Uint16Array<ArrayBuffer>;
}

const newlineByte = 0x0a;
const atStart = (newlineByte << 7) | newlineByte;

/**
 * Creates an inverter. It uses four bytes of memory per (trigram, unit) pair and about three megabytes, until it is
 * garbage-collected.
 */
export function trigramInverter(): TrigramInverter {
  const instance = new WebAssembly.Instance(trigramModule);
  const { memory, note, collect, sort, encode } = instance.exports as unknown as TrigramExports;
  const bytes = new Uint8Array(memory.buffer);
  const numbers = new Uint32Array(memory.buffer);
  const next = numbers.subarray(addressOf.next / 4, addressOf.next / 4 + groups);
  bytes.set(foldTable, addressOf.fold);
  markNewlineTrigrams(bytes.subarray(addressOf.seen, addressOf.seen + trigrams));
  let end: number = addressOf.found;

  const begin = (): void => {
    for (let group = 0; group < groups; group++) next[group] = firstPiece(addressOf.pieces, group);
    numbers[addressOf.free / 4] = firstPiece(addressOf.pieces, groups);
  };
  const sorted = (group: number): number => {
    const units = numbers[addressOf.free / 4]!;
    bytes.fill(0, addressOf.ends, addressOf.ends + 4 * (inGroup + 1));
    sort(firstPiece(addressOf.pieces, group), next[group]!, units);
    return units;
  };

  const encoded = (rows: Uint32Array, group: number): EncodedTrigrams => {
    const keys = new Uint32Array(rows.length / 2);
    const lengths = new Uint16Array(keys.length);
    for (let row = 0; row < keys.length; row++) {
      keys[row] = (group << (restBits + 1)) + rows[2 * row]!;
      lengths[row] = rows[2 * row + 1]!;
    }
    return {
      postings: bytes.subarray(addressOf.postings, numbers[addressOf.postingsEnd / 4]),
      keys,
      lengths,
    };
  };

  begin();
  return {
    note: (text) => {
      let last = atStart;
      for (let from = 0; from < text.length; from += textBytes) {
        const piece = text.subarray(from, from + textBytes);
        bytes.set(piece, addressOf.text);
        end = note(addressOf.text, addressOf.text + piece.length, end, last);
        last = (foldTable[piece.at(-2) ?? newlineByte]! << 7) | foldTable[piece.at(-1)!]!;
      }
    },
    endUnit: (unit) => {
      collect(addressOf.found, end, unit);
      end = addressOf.found;
    },
    isFull: () => numbers[addressOf.free / 4]! - addressOf.pieces > maxPairBytes,
    *drain(unitCount) {
      const bitmapBytes = ((unitCount + 31) >>> 5) * 4;
      for (let group = 0; group < groups; group++) {
        if (next[group] === firstPiece(addressOf.pieces, group)) continue;
        const units = sorted(group);
        for (let rest = 0; rest <= inGroup; ) {
          rest = encode(rest, rest === 0 ? units : numbers[addressOf.ends / 4 + rest - 1]!, bitmapBytes);
          yield encoded(numbers.subarray(addressOf.rows / 4, numbers[addressOf.rowsEnd / 4]! / 4), group);
        }
      }
      begin();
    },
  };
}

/** Marks trigrams with a newline as permanently seen: like a match, no trigram spans two lines. */
function markNewlineTrigrams(seen: Uint8Array): void {
  seen.fill(1, newlineByte << 14, (newlineByte + 1) << 14);
  for (let pair = newlineByte << 7; pair < trigrams; pair += 1 << 14) seen.fill(1, pair, pair + (1 << 7));
  for (let trigram = newlineByte; trigram < trigrams; trigram += 1 << 7) seen[trigram] = 1;
}
