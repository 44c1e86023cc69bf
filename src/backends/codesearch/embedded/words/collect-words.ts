import { isAscii } from 'node:buffer';
import { isWordCode, words } from '../../whole-word.ts';
import { unitFlags } from '../format/segment-sections.ts';
import { writeVarint } from '../format/varint.ts';
import { decodeText } from '../query/text/decode-text.ts';
import { WordNumbers } from './word-numbers.ts';
import { maxWordBytes, shortWordBytes, type WordPostings } from './words-file.ts';

/** Collects the lines of the words of a segment. */
export interface WordCollector {
  /** Begins the next document. */
  beginDocument(): void;
  /** Adds the next unit of the document, which consists of whole lines. */
  addUnit(bytes: Buffer, flags: number): void;
  /** Returns the number of the first line of each document. */
  firstLines(): Uint32Array;
  /** Returns the words of the table with their lines, after the last unit. */
  postings(): readonly WordPostings[];
}

/**
 * Minimum number of lines of a longer word of the table: as many as an eighth of the units of the segment. Fewer lines
 * are found in the text as fast.
 */
const minLines = { all: 8, perUnit: 1 / 8 } as const;
/** Number of entries of a piece of the log: at most 8 bytes for two bytes of text. */
const pieceEntries = 1 << 18;
/** Marks an entry of the log that moves to a later line; the others are words in it. */
const lineMark = 0x8000_0000;
const newlineByte = 0x0a;
const hashSeed = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

export function wordCollector(): WordCollector {
  const numbers = new WordNumbers();
  const starts: number[] = [];
  const log: Uint32Array[] = [];
  let entries = pieceEntries;
  let line = -1;
  let units = 0;
  let loggedLine = 0;

  const note = (entry: number): void => {
    if (entries === pieceEntries) {
      log.push(new Uint32Array(pieceEntries));
      entries = 0;
    }
    log[log.length - 1]![entries++] = entry;
  };
  const add = (bytes: Uint8Array, start: number, end: number, hash: number): void => {
    const number = end - start > maxWordBytes ? -1 : numbers.of(bytes, start, end, hash);
    if (number < 0 || !numbers.addLine(number, line)) return;
    if (loggedLine !== line) note((lineMark | (line - loggedLine)) >>> 0);
    loggedLine = line;
    note(number);
  };
  const addAscii = (bytes: Uint8Array, from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      let byte = bytes[at]!;
      if (!isWordCode(byte)) {
        if (byte === newlineByte) line++;
        continue;
      }
      const start = at;
      let hash = hashSeed;
      while (isWordCode(byte)) {
        hash = Math.imul(hash ^ byte, hashPrime);
        byte = ++at < to ? bytes[at]! : newlineByte;
      }
      add(bytes, start, at, hash);
      at--;
    }
  };
  /** Adds the ASCII words of a line. Letters beyond ASCII around them make them longer words. */
  const addDecoded = (text: string): void => {
    for (const [word] of text.matchAll(words)) {
      const bytes = Buffer.from(word);
      if (bytes.length === word.length) addAscii(bytes, 0, bytes.length);
    }
  };
  return {
    beginDocument: () => {
      starts.push(++line);
    },
    addUnit: (bytes, flags) => {
      units++;
      if ((flags & unitFlags.ascii) !== 0) {
        addAscii(bytes, 0, bytes.length);
        return;
      }
      for (let from = 0; from < bytes.length; ) {
        const newline = bytes.indexOf(newlineByte, from);
        const end = newline < 0 ? bytes.length : newline;
        const text = bytes.subarray(from, end);
        if (isAscii(text)) addAscii(text, 0, text.length);
        else addDecoded(decodeText(text, flags));
        if (newline >= 0) line++;
        from = end + 1;
      }
    },
    firstLines: () => Uint32Array.from(starts),
    postings: () => {
      const kept = numbers.shortOrFrequent(shortWordBytes, Math.max(minLines.all, units * minLines.perUnit));
      const places = new Int32Array(numbers.count).fill(-1);
      let size = 0;
      for (const number of kept) {
        places[number] = size;
        size += numbers.bytesOf(number);
      }
      const bytes = Buffer.allocUnsafe(size);
      const last = new Int32Array(numbers.count).fill(-1);
      let at = 0;
      for (const [index, piece] of log.entries()) {
        for (const entry of index === log.length - 1 ? piece.subarray(0, entries) : piece) {
          if (entry >= lineMark) at += entry - lineMark;
          else if (places[entry]! >= 0) {
            places[entry] = writeVarint(bytes, places[entry]!, at - last[entry]! - 1);
            last[entry] = at;
          }
        }
      }
      return kept.map((number) => {
        const end = places[number]!;
        return { word: numbers.wordOf(number), postings: bytes.subarray(end - numbers.bytesOf(number), end) };
      });
    },
  };
}
