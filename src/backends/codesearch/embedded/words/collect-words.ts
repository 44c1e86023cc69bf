import { isAscii } from 'node:buffer';
import type { Pause } from '../../../../foundation/kernel/limits/pauses.ts';
import { isWordCode, words } from '../../whole-word.ts';
import { unitFlags } from '../format/segment-sections.ts';
import { decodeText } from '../query/text/decode-text.ts';
import { WordNumbers } from './word-numbers.ts';
import { maxWordBytes, type WordTable } from './words-file.ts';

/**
 * Minimum number of lines of a longer word of the table, also for each unit of the segment: 8 lines of 32 MB. Of words
 * with fewer lines the documents are listed: to search their text is as fast.
 */
const minLines = { all: 4, perUnit: 1 / 256 } as const;
/** Number of bytes of a unit that are added in one turn. */
const partBytes = 16 * 1024;
const newlineByte = 0x0a;
const hashSeed = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

/**
 * Collects the lines of the words of a segment. All of its documents and units must be added twice, in order: first to
 * choose the words, and after `choose` to write their lines.
 */
export class WordCollector {
  readonly #numbers = new WordNumbers();
  #firstLines: number[] = [];
  #chosen: readonly number[] = [];
  #line = -1;
  #units = 0;

  beginDocument(): void {
    this.#firstLines.push(++this.#line);
  }

  /** Adds the next unit of the document, which consists of whole lines. Awaits `pause` after each part. */
  async addUnit(bytes: Buffer, flags: number, pause: Pause): Promise<void> {
    this.#units++;
    for (let from = 0; from < bytes.length; ) {
      const end = endOfPart(bytes, from);
      this.#addPart(bytes.subarray(from, end), flags);
      from = end;
      await pause();
    }
  }

  #addPart(bytes: Buffer, flags: number): void {
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

  /** Chooses the words of the table. */
  choose(): void {
    this.#chosen = this.#numbers.keep(Math.max(minLines.all, this.#units * minLines.perUnit));
    this.#firstLines = [];
    this.#line = -1;
  }

  table(): WordTable {
    const numbers = this.#numbers;
    const chosen = this.#chosen;
    const { rare } = numbers;
    return {
      firstLines: Uint32Array.from(this.#firstLines),
      count: chosen.length,
      wordAt: (index) => numbers.wordOf(chosen[index]!),
      endAt: (index) => numbers.endOf(chosen[index]!),
      postings: numbers.postings,
      rare: rare && {
        count: rare.length / 2,
        wordAt: (index) => numbers.wordOf(rare[2 * index]!),
        documentAt: (index) => rare[2 * index + 1]!,
      },
    };
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
    if (word >= 0) this.#numbers.addLine(word, this.#line, this.#firstLines.length - 1);
  }
}

/**
 * Returns the end of the part of a unit that starts at a place: after a byte that no word has, because a line may be as
 * long as a file.
 */
function endOfPart(bytes: Buffer, start: number): number {
  let end = start + partBytes;
  while (end < bytes.length && !isBoundary(bytes[end - 1]!)) end++;
  return Math.min(end, bytes.length);
}

/** Returns whether a byte is a whole character, and none of a word. */
function isBoundary(byte: number): boolean {
  return byte < 0x80 && !isWordCode(byte);
}
