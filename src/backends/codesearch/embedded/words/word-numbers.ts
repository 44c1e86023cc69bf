import { shortWordBytes } from './words-file.ts';

/**
 * Maximum number of words, because data files may have millions of distinct ones, and of slots that are probed for one,
 * because words may be chosen to collide. Once either is reached, no further word has a number unless it is short: of
 * these there are at most 254,000.
 */
const max = { words: 1 << 20, probes: 128 } as const;
const first = { words: 1 << 14, textBytes: 1 << 18 } as const;
/** Number of bits of an ASCII character. */
const asciiBits = 7;

/** Numbers the distinct words of a segment, and counts the lines of each, with the size of these as varints. */
export class WordNumbers {
  count = 0;
  #isFull = false;
  /** By their characters: the number of a short word, plus 1. */
  readonly #short = new Int32Array(1 << (shortWordBytes * asciiBits));
  /**
   * The others, by their hash, with open addressing: the number of a word, plus 1. At most half of the slots are used. A
   * larger table has the words in the same order, so none is further from the slot of its hash than before.
   */
  #slots = new Int32Array(2 * first.words);
  #hashes = new Int32Array(first.words);
  #ends = new Uint32Array(first.words);
  #lastLines = new Int32Array(first.words);
  #lines = new Uint32Array(first.words);
  #bytes = new Uint32Array(first.words);
  #text = new Uint8Array(first.textBytes);

  /** Returns the number of an ASCII word, or -1 if it has none. */
  of(bytes: Uint8Array, start: number, end: number, hash: number): number {
    if (end - start <= shortWordBytes) return this.#ofShort(bytes, start, end);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = slotOf(hash, mask);
    for (let probes = 0; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = slots[slot]! - 1;
      if (this.#hashes[number] === hash && this.#isAt(number, bytes, start, end)) return number;
      if (++probes < max.probes) continue;
      this.#isFull = true;
      return -1;
    }
    if (this.#isFull || this.count >= max.words) return -1;
    slots[slot] = this.count + 1;
    return this.#add(bytes, start, end, hash);
  }

  #ofShort(bytes: Uint8Array, start: number, end: number): number {
    let code = 0;
    for (let at = start; at < end; at++) code = (code << asciiBits) | bytes[at]!;
    return (this.#short[code] ||= this.#add(bytes, start, end, 0) + 1) - 1;
  }

  /** Counts a line of a word. Returns false if the line is the last one that was counted. */
  addLine(number: number, line: number): boolean {
    const gap = line - this.#lastLines[number]! - 1;
    if (gap < 0) return false;
    this.#lastLines[number] = line;
    this.#lines[number]! += 1;
    this.#bytes[number]! +=
      gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x20_0000 ? 3 : gap < 0x1000_0000 ? 4 : 5;
    return true;
  }

  /** Returns the words that are short or in at least this number of lines. */
  shortOrFrequent(short: number, minLines: number): readonly number[] {
    const found: number[] = [];
    for (let number = 0; number < this.count; number++)
      if (this.#lengthOf(number) <= short || this.#lines[number]! >= minLines) found.push(number);
    return found;
  }

  /** Returns the size of the lines of a word as varints. */
  bytesOf(number: number): number {
    return this.#bytes[number]!;
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
    const number = this.count;
    const from = this.#startOf(number);
    const to = from + end - start;
    if (to > this.#text.length) this.#text = grown(this.#text, new Uint8Array(2 * this.#text.length));
    this.#text.set(bytes.subarray(start, end), from);
    this.#ends[number] = to;
    this.#hashes[number] = hash;
    this.#lastLines[number] = -1;
    this.count++;
    if (this.count === this.#ends.length) this.#grow();
    return number;
  }

  /** Doubles the space for words. */
  #grow(): void {
    const size = 2 * this.count;
    this.#ends = grown(this.#ends, new Uint32Array(size));
    this.#hashes = grown(this.#hashes, new Int32Array(size));
    this.#lastLines = grown(this.#lastLines, new Int32Array(size));
    this.#lines = grown(this.#lines, new Uint32Array(size));
    this.#bytes = grown(this.#bytes, new Uint32Array(size));
    const slots = new Int32Array(2 * size);
    const mask = slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      if (this.#lengthOf(number) <= shortWordBytes) continue;
      let slot = slotOf(this.#hashes[number]!, mask);
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

function slotOf(hash: number, mask: number): number {
  return (hash ^ (hash >>> 15)) & mask;
}

function grown<Numbers extends Uint8Array | Int32Array | Uint32Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from);
  return into;
}
