import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeColumns } from '../format/columns.ts';
import { type TrigramInverter, trigramInverter } from '../invert/invert-trigrams.ts';

/** Collects the distinct trigrams of each unit and inverts them, in memory that is kept from one segment to the next. */
export interface TrigramPostings {
  /** Units are numbered in the order in which they come; at most 65,536. */
  addUnit(bytes: Uint8Array, ascii: boolean): void;
  /** There may be no room for another file. */
  isFull(): boolean;
  /**
   * Hands the postings to `write`, piece by piece, and gives their table. A piece is only good during the call. Lets
   * other work run in between; nothing may be added meanwhile. The next unit is the first of another segment.
   */
  encode(write: (piece: Uint8Array) => void): Promise<Buffer>;
}

export function collectTrigramPostings(): TrigramPostings {
  const inverter = trigramInverter();
  let units = 0;
  return {
    addUnit: (bytes, ascii) => {
      inverter.note(bytes);
      if (!ascii) noteFoldedLetters(bytes, inverter);
      inverter.endUnit(units++);
    },
    isFull: inverter.isFull,
    encode: async (write) => {
      const keys: Uint8Array[] = [];
      const lengths: Uint8Array[] = [];
      for (const encoded of inverter.drain(units)) {
        write(encoded.postings);
        keys.push(new Uint8Array(encoded.keys.buffer));
        lengths.push(new Uint8Array(encoded.lengths.buffer));
        await nextTurn();
      }
      units = 0;
      return encodeColumns([Buffer.concat(keys), Buffer.concat(lengths)]);
    },
  };
}

/**
 * Two letters outside ASCII fold to ASCII ones (Unicode CaseFolding: U+017F to s, U+212A to k). A line that holds one
 * is indexed once more with it folded, so that the trigrams of a case-insensitive query find it.
 */
function noteFoldedLetters(bytes: Uint8Array, inverter: TrigramInverter): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes('\u017f') && !text.includes('\u212a')) return;
  const folded = text
    .toString('latin1')
    .replaceAll('\u00c5\u00bf', 's')
    .replaceAll('\u00e2\u0084\u00aa', 'k');
  inverter.note(Buffer.from(folded, 'latin1'));
}
