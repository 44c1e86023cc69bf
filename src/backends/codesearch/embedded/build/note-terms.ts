import { roomForTerms, scanTerms, stemmed, TERM_SCAN } from '../format/terms.ts';
import { TERM, type TermExports, termModule } from './term-module.ts';

/** Finds the terms of one text after another. */
export interface TermNotes {
  /** The hashes of the terms of a text, in order, as `scanTerms` finds them; good until the next. */
  of(text: Uint8Array): Int32Array;
}

const PAGE = 1 << 16;
/** Longer text is scanned by `scanTerms` itself: none of those that are indexed. */
const TEXT_BYTES = 1 << 20;
/** At most a term for two bytes of text, four bytes each; and of each a stem in twelve. */
const HASHES_BYTES = 2 * TEXT_BYTES;
const STEMS_BYTES = 6 * TEXT_BYTES;

/** Memory is taken as it is touched, which is by the longest text. */
export function termNotes(): TermNotes {
  const textAt = TERM.free;
  // A page behind the text holds what ends it, and one behind the stems what is written behind the last.
  const hashesAt = textAt + TEXT_BYTES + PAGE;
  const stemsAt = hashesAt + HASHES_BYTES;
  const module = termModule((stemsAt + STEMS_BYTES) / PAGE + 1);
  const { memory, scan } = new WebAssembly.Instance(module).exports as unknown as TermExports;
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(TERM_SCAN.kindOf, TERM.kinds);
  bytes.set(TERM_SCAN.mayEndIn, TERM.mayEndIn);
  bytes.set(TERM_SCAN.longest, TERM.longest);
  const hashes = new Int32Array(memory.buffer);
  const firstStem = stemsAt / 4;
  return {
    of: (text) => {
      if (text.length > TEXT_BYTES) return scannedHere(text);
      bytes.set(text, textAt);
      // Two, since what is one word behind capitals depends on the second.
      bytes.fill(0, textAt + text.length, textAt + text.length + 2);
      const end = scan(textAt, textAt + text.length, hashesAt, stemsAt);
      for (let at = firstStem; hashes[at] !== 0; at += 3) {
        const place = hashes[at]! >>> 2;
        hashes[place] = stemmed(hashes[place]!, bytes, hashes[at + 1]!, hashes[at + 2]!);
      }
      return hashes.subarray(hashesAt / 4, end / 4);
    },
  };
}

function scannedHere(text: Uint8Array): Int32Array {
  const found = roomForTerms(text.length);
  return found.hashes.subarray(0, scanTerms(text, 0, text.length, found));
}
