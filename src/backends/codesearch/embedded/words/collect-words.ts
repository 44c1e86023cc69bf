import { isAscii } from 'node:buffer';
import { isWordCode, words } from '../../whole-word.ts';
import { unitFlags } from '../format/segment-sections.ts';
import { writeVarint } from '../format/varint.ts';
import { decodeText } from '../query/text/decode-text.ts';
import { LineLog } from './line-log.ts';
import { WordNumbers } from './word-numbers.ts';
import { maxWordBytes, shortWordBytes, type WordPostings } from './words-file.ts';

/**
 * Minimum number of lines of a longer word of the table, also for each unit of the segment: 64 lines of 32 MB. Fewer
 * lines are found in the text as fast.
 */
const minLines = { all: 4, perUnit: 1 / 32 } as const;
const newlineByte = 0x0a;
const hashSeed = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

/** Collects the lines of the words of a segment, whose documents and units must be added in order. */
export class WordCollector {
  readonly #numbers = new WordNumbers();
  readonly #log = new LineLog();
  readonly #firstLines: number[] = [];
  #line = -1;
  #units = 0;

  beginDocument(): void {
    this.#firstLines.push(++this.#line);
  }

  /** Adds the next unit of the document, which consists of whole lines. */
  addUnit(bytes: Buffer, flags: number): void {
    this.#units++;
    if ((flags & unitFlags.ascii) !== 0) {
      this.#addAscii(bytes);
      return;
    }
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(newlineByte, from);
      const end = newline < 0 ? bytes.length : newline;
      const line = bytes.subarray(from, end);
      if (isAscii(line)) this.#addAscii(line);
      else this.#addDecoded(decodeText(line, flags));
      if (newline >= 0) this.#line++;
      from = end + 1;
    }
  }

  /** Returns the number of the first line of each document. */
  firstLines(): Uint32Array {
    return Uint32Array.from(this.#firstLines);
  }

  /** Returns the words of the table with their lines. */
  postings(): readonly WordPostings[] {
    const numbers = this.#numbers;
    const least = Math.max(minLines.all, this.#units * minLines.perUnit);
    const kept = numbers.shortOrFrequent(shortWordBytes, least);
    const places = new Int32Array(numbers.count).fill(-1);
    let size = 0;
    for (const word of kept) {
      places[word] = size;
      size += numbers.bytesOf(word);
    }
    const bytes = Buffer.allocUnsafe(size);
    const last = new Int32Array(numbers.count).fill(-1);
    this.#log.each((word, line) => {
      const place = places[word]!;
      if (place < 0) return;
      places[word] = writeVarint(bytes, place, line - last[word]! - 1);
      last[word] = line;
    });
    return kept.map((word) => {
      const end = places[word]!;
      return { word: numbers.wordOf(word), postings: bytes.subarray(end - numbers.bytesOf(word), end) };
    });
  }

  #addAscii(bytes: Uint8Array): void {
    const to = bytes.length;
    for (let at = 0; at < to; at++) {
      let byte = bytes[at]!;
      if (!isWordCode(byte)) {
        if (byte === newlineByte) this.#line++;
        continue;
      }
      const start = at;
      let hash = hashSeed;
      while (isWordCode(byte)) {
        hash = Math.imul(hash ^ byte, hashPrime);
        byte = ++at < to ? bytes[at]! : newlineByte;
      }
      this.#add(bytes, start, at, hash);
      at--;
    }
  }

  /** Adds the ASCII words of a line. Letters beyond ASCII next to them make them longer words. */
  #addDecoded(line: string): void {
    for (const [word] of line.matchAll(words)) {
      const bytes = Buffer.from(word);
      if (bytes.length === word.length) this.#addAscii(bytes);
    }
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number): void {
    const word = end - start > maxWordBytes ? -1 : this.#numbers.of(bytes, start, end, hash);
    if (word >= 0 && this.#numbers.addLine(word, this.#line)) this.#log.add(word, this.#line);
  }
}
