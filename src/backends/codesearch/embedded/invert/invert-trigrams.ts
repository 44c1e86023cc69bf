import { FOLD, TRIGRAMS } from '../format/trigram.ts';
import { firstPiece } from './pieces.ts';
import { AT, GROUPS, IN_GROUP, MOST_PAIR_BYTES, REST_BITS, TEXT_BYTES } from './trigram-layout.ts';
import { type TrigramExports, trigramModule } from './trigram-module.ts';

/** Finds the distinct trigrams of one unit after another, and which units hold each. */
export interface TrigramInverter {
  /** Notes those of one more piece of text of the unit, which no trigram spans. */
  note(bytes: Uint8Array): void;
  /** The unit holds what was noted since the last. Numbers ascend, and fit 16 bits. */
  endUnit(unit: number): void;
  /** There may be no room for the units of another file. */
  isFull(): boolean;
  /** Takes the postings out, in order of trigrams, as lists or bitmaps of so many units; begins anew after the last. */
  drain(unitCount: number): Generator<EncodedTrigrams>;
}

/** Postings one after another, good until the next are asked for; of each, trigram * 2 + dense, and its bytes. */
export interface EncodedTrigrams {
  readonly postings: Uint8Array;
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly lengths: Uint16Array<ArrayBuffer>;
}

const NEWLINE = 0x0a;
const AT_START = (NEWLINE << 7) | NEWLINE;

/** Memory is four bytes a (trigram, unit) pair and some three megabytes. It stays until all of this is garbage. */
export function trigramInverter(): TrigramInverter {
  const instance = new WebAssembly.Instance(trigramModule);
  const { memory, note, gather, sort, encode } = instance.exports as unknown as TrigramExports;
  const bytes = new Uint8Array(memory.buffer);
  const numbers = new Uint32Array(memory.buffer);
  const next = numbers.subarray(AT.next / 4, AT.next / 4 + GROUPS);
  bytes.set(FOLD, AT.fold);
  seeThoseWithNewlines(bytes.subarray(AT.seen, AT.seen + TRIGRAMS));
  let end: number = AT.found;

  const begin = (): void => {
    for (let group = 0; group < GROUPS; group++) next[group] = firstPiece(AT.pieces, group);
    numbers[AT.free / 4] = firstPiece(AT.pieces, GROUPS);
  };
  const sorted = (group: number): number => {
    const units = numbers[AT.free / 4]!;
    bytes.fill(0, AT.ends, AT.ends + 4 * (IN_GROUP + 1));
    sort(firstPiece(AT.pieces, group), next[group]!, units);
    return units;
  };

  const encoded = (rows: Uint32Array, group: number): EncodedTrigrams => {
    const keys = new Uint32Array(rows.length / 2);
    const lengths = new Uint16Array(keys.length);
    for (let row = 0; row < keys.length; row++) {
      keys[row] = (group << (REST_BITS + 1)) + rows[2 * row]!;
      lengths[row] = rows[2 * row + 1]!;
    }
    return { postings: bytes.subarray(AT.postings, numbers[AT.postingsEnd / 4]), keys, lengths };
  };

  begin();
  return {
    note: (text) => {
      let last = AT_START;
      for (let from = 0; from < text.length; from += TEXT_BYTES) {
        const piece = text.subarray(from, from + TEXT_BYTES);
        bytes.set(piece, AT.text);
        end = note(AT.text, AT.text + piece.length, end, last);
        last = (FOLD[piece.at(-2) ?? NEWLINE]! << 7) | FOLD[piece.at(-1)!]!;
      }
    },
    endUnit: (unit) => {
      gather(AT.found, end, unit);
      end = AT.found;
    },
    isFull: () => numbers[AT.free / 4]! - AT.pieces > MOST_PAIR_BYTES,
    *drain(unitCount) {
      const bitmapBytes = ((unitCount + 31) >>> 5) * 4;
      for (let group = 0; group < GROUPS; group++) {
        if (next[group] === firstPiece(AT.pieces, group)) continue;
        const units = sorted(group);
        for (let rest = 0; rest <= IN_GROUP; ) {
          rest = encode(rest, rest === 0 ? units : numbers[AT.ends / 4 + rest - 1]!, bitmapBytes);
          yield encoded(numbers.subarray(AT.rows / 4, numbers[AT.rowsEnd / 4]! / 4), group);
        }
      }
      begin();
    },
  };
}

/** No trigram spans two lines, as no match does: those with a newline count as seen for ever. */
function seeThoseWithNewlines(seen: Uint8Array): void {
  seen.fill(1, NEWLINE << 14, (NEWLINE + 1) << 14);
  for (let pair = NEWLINE << 7; pair < TRIGRAMS; pair += 1 << 14) seen.fill(1, pair, pair + (1 << 7));
  for (let trigram = NEWLINE; trigram < TRIGRAMS; trigram += 1 << 7) seen[trigram] = 1;
}
