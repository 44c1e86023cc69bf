import { varintBytes, writeVarint } from '../format/varint.ts';
import { maxWordBytes, shortWordBytes } from './words-file.ts';

/** Number of bits of an ASCII character. */
const asciiBits = 7;
/** Number of distinct short words, whose bytes are letters, digits and `_`. */
const shortWords = 63 + 63 ** 2 + 63 ** 3;
/**
 * Maximum numbers of words and of their bytes, because data files may have millions of distinct ones, and of slots that
 * are probed for one, because words may be chosen to collide. Once one of them is reached, no further word has a number
 * unless it is short.
 */
const max = { words: 1 << 19, bytes: 8 << 20, probes: 128 } as const;
/** Maximum number of lines of all words that are not kept: with more, their documents are not listed. */
const maxRareLines = 1 << 22;
const maxNumbers = max.words + shortWords;

/**
 * Numbers the distinct words of a segment, which is read twice: first to count the lines of each word, then to write
 * the lines of those that are kept, and to list the documents of the others. The tables have a fixed size, of which the
 * system provides what is used.
 */
export class WordNumbers {
  count = 0;
  #isFull = false;
  /** By their characters: the number of a short word, plus 1. */
  readonly #short = new Int32Array(1 << (shortWordBytes * asciiBits));
  /** The others, by hash, with open addressing: the number of a word, plus 1. At most half of the slots are used. */
  readonly #slots = new Int32Array(2 * max.words);
  readonly #hashes = new Int32Array(maxNumbers);
  readonly #ends = new Uint32Array(maxNumbers);
  readonly #lastLines = new Int32Array(maxNumbers);
  readonly #lines = new Uint32Array(maxNumbers);
  /**
   * The size of the lines of each word as varints; of kept words, the place after the lines written so far, of others
   * the last document, plus 1.
   */
  readonly #places = new Uint32Array(maxNumbers);
  readonly #text = new Uint8Array(max.bytes + maxWordBytes + shortWords * shortWordBytes);
  #postings: Buffer | undefined;
  /** The number of a word and a document, for each document of the words that are not kept. */
  #rare: Uint32Array | undefined;
  #rareEnd = 0;

  /** Returns the number of an ASCII word, or -1 if it has none. */
  of(bytes: Uint8Array, start: number, end: number, hash: number): number {
    if (end - start <= shortWordBytes) return this.#ofShort(bytes, start, end);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let probes = 0; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = slots[slot]! - 1;
      if (this.#hashes[number] === hash && this.#isAt(number, bytes, start, end)) return number;
      if (++probes < max.probes) continue;
      this.#isFull = true;
      return -1;
    }
    this.#isFull ||= this.count >= max.words || this.#startOf(this.count) >= max.bytes;
    if (this.#isFull) return -1;
    slots[slot] = this.count + 1;
    return this.#add(bytes, start, end, hash);
  }

  #ofShort(bytes: Uint8Array, start: number, end: number): number {
    let code = 0;
    for (let at = start; at < end; at++) code = (code << asciiBits) | bytes[at]!;
    return (this.#short[code] ||= this.#add(bytes, start, end, 0) + 1) - 1;
  }

  /** Counts or writes a line of a word in a document, which must not be before the last one. */
  addLine(number: number, line: number, document: number): void {
    const gap = line - this.#lastLines[number]! - 1;
    if (gap < 0) return;
    this.#lastLines[number] = line;
    if (this.#postings === undefined) {
      this.#lines[number]! += 1;
      this.#places[number]! += varintBytes(gap);
    } else if (this.#lines[number] !== 0) {
      this.#places[number] = writeVarint(this.#postings, this.#places[number]!, gap);
    } else if (this.#rare !== undefined && this.#places[number] !== document + 1) {
      this.#places[number] = document + 1;
      this.#rare[this.#rareEnd++] = number;
      this.#rare[this.#rareEnd++] = document;
    }
  }

  /** Keeps the words that are short or in at least this number of lines, which are written from now on. */
  keep(minLines: number): readonly number[] {
    const kept: number[] = [];
    let size = 0;
    let rareLines = 0;
    for (let number = 0; number < this.count; number++) {
      this.#lastLines[number] = -1;
      if (this.#lengthOf(number) > shortWordBytes && this.#lines[number]! < minLines) {
        rareLines += this.#lines[number]!;
        this.#lines[number] = 0;
        this.#places[number] = 0;
        continue;
      }
      kept.push(number);
      const bytes = this.#places[number]!;
      this.#places[number] = size;
      size += bytes;
    }
    this.#postings = Buffer.alloc(size);
    if (!this.#isFull && rareLines <= maxRareLines) this.#rare = new Uint32Array(2 * rareLines);
    return kept;
  }

  /**
   * The number of a word and a document, for each document of the words that are not kept; `undefined` if some words
   * have no number, or too many lines.
   */
  get rare(): Uint32Array | undefined {
    return this.#rare?.subarray(0, this.#rareEnd);
  }

  /** The written lines of the kept words, one after the other. */
  get postings(): Buffer {
    return this.#postings ?? Buffer.alloc(0);
  }

  /** Returns the place in `postings` after the lines of a kept word. */
  endOf(number: number): number {
    return this.#places[number]!;
  }

  wordOf(number: number): Uint8Array {
    return this.#text.subarray(this.#startOf(number), this.#ends[number]);
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!;
  }

  #lengthOf(number: number): number {
    return this.#ends[number]! - this.#startOf(number);
  }

  #isAt(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#startOf(number);
    if (this.#ends[number]! - from !== end - start) return false;
    const text = this.#text;
    for (let at = start; at < end; at++) if (text[from + at - start] !== bytes[at]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const number = this.count++;
    const from = this.#startOf(number);
    for (let at = start; at < end; at++) this.#text[from + at - start] = bytes[at]!;
    this.#ends[number] = from + end - start;
    this.#hashes[number] = hash;
    this.#lastLines[number] = -1;
    return number;
  }
}
