import { FOLD, TRIGRAMS } from '../format/trigram.ts';
import { NOTE, type NoteExports, noteModule } from './note-module.ts';

/** Finds the distinct trigrams of one text after another. */
export interface TrigramNotes {
  /** Notes those of one more piece of text, which no trigram spans. */
  add(bytes: Uint8Array): void;
  /** What was noted; the numbers are good until more is added. It begins anew. */
  take(): Uint32Array;
}

const PAGE = 1 << 16;
/** Text is copied in so many bytes at a time; longer text goes through in pieces. */
const TEXT_BYTES = 1 << 16;
/** All there are, and the one that is written over. */
const FOUND_BYTES = 4 * TRIGRAMS + PAGE;
const NEWLINE = 0x0a;
const AT_START = (NEWLINE << 7) | NEWLINE;

/** Memory is taken as it is touched: some hundred kilobytes beside the two megabytes of what was seen. */
export function trigramNotes(): TrigramNotes {
  const textAt = NOTE.free;
  const foundAt = textAt + TEXT_BYTES;
  const module = noteModule((foundAt + FOUND_BYTES) / PAGE);
  const { memory, note, forget } = new WebAssembly.Instance(module).exports as unknown as NoteExports;
  const text = new Uint8Array(memory.buffer, textAt, TEXT_BYTES);
  const found = new Uint32Array(memory.buffer, foundAt, FOUND_BYTES / 4);
  new Uint8Array(memory.buffer).set(FOLD, NOTE.fold);
  seeThoseWithNewlines(new Uint8Array(memory.buffer, NOTE.seen, TRIGRAMS));
  let end = foundAt;
  return {
    add: (bytes) => {
      let last = AT_START;
      for (let from = 0; from < bytes.length; from += TEXT_BYTES) {
        const piece = bytes.subarray(from, from + TEXT_BYTES);
        text.set(piece);
        end = note(textAt, textAt + piece.length, end, last);
        last = (FOLD[piece.at(-2) ?? NEWLINE]! << 7) | FOLD[piece.at(-1)!]!;
      }
    },
    take: () => {
      const count = (end - foundAt) / 4;
      forget(foundAt, end);
      end = foundAt;
      return found.subarray(0, count);
    },
  };
}

/** No trigram spans two lines, as no match does: those with a newline count as seen for ever. */
function seeThoseWithNewlines(seen: Uint8Array): void {
  seen.fill(1, NEWLINE << 14, (NEWLINE + 1) << 14);
  for (let pair = NEWLINE << 7; pair < TRIGRAMS; pair += 1 << 14) seen.fill(1, pair, pair + (1 << 7));
  for (let trigram = NEWLINE; trigram < TRIGRAMS; trigram += 1 << 7) seen[trigram] = 1;
}
