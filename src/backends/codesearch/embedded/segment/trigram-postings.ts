import { setImmediate as nextTick } from 'node:timers/promises';
import { encodeColumns } from '../format/columns.ts';
import { type TrigramInverter, trigramInverter } from '../invert/invert-trigrams.ts';

/** Collects the distinct trigrams of each unit and inverts them. Its memory is reused for the next segment. */
export interface TrigramPostings {
  /** Adds a unit. Units are numbered in order of arrival; at most 65,536. */
  addUnit(bytes: Uint8Array, ascii: boolean): void;
  /** Returns true if another file may not fit. */
  isFull(): boolean;
  /**
   * Passes the postings to `write` in chunks, and returns their table. A chunk is only valid during the call. Yields to
   * the event loop in between; nothing may be added until it resolves. The next unit is the first of another segment.
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
        await nextTick();
      }
      units = 0;
      return encodeColumns([Buffer.concat(keys), Buffer.concat(lengths)]);
    },
  };
}

/**
 * Adds the trigrams of folded letters. Two letters outside ASCII fold to ASCII (Unicode CaseFolding: U+017F to s,
 * U+212A to k). Text that contains one is indexed a second time with it folded, so that the trigrams of a
 * case-insensitive query match.
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
