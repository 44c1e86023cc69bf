import { setImmediate as nextTurn } from 'node:timers/promises';
import { trigramEncoder } from './encode-trigrams.ts';
import { type TrigramNotes, trigramNotes } from './note-trigrams.ts';
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

export function collectTrigramPostings(): TrigramPostings {
  const notes = trigramNotes();
  const groups = trigramGroups();
  let units = 0;
  return {
    addUnit: (bytes, ascii) => {
      notes.add(bytes);
      if (!ascii) addFoldedLetters(bytes, notes);
      const found = notes.take();
      groups.add(found, found.length, units++);
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

/**
 * Two letters outside ASCII fold to ASCII ones (Unicode CaseFolding: U+017F to s, U+212A to k). A line that holds one
 * is indexed once more with it folded, so that the trigrams of a case-insensitive query find it.
 */
function addFoldedLetters(bytes: Uint8Array, notes: TrigramNotes): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes('\u017f') && !text.includes('\u212a')) return;
  const folded = text
    .toString('latin1')
    .replaceAll('\u00c5\u00bf', 's')
    .replaceAll('\u00e2\u0084\u00aa', 'k');
  notes.add(Buffer.from(folded, 'latin1'));
}
