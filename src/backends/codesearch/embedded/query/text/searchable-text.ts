import { isAscii } from 'node:buffer';
import { unitFlags } from '../../format/segment-sections.ts';
import { findAnywhere, type Needle } from '../scan/needle.ts';
import type { TextArena } from '../scan/text-arena.ts';
import { decodeText } from './decode-text.ts';
import { endOfLine, startOfLine } from './lines.ts';

/**
 * The text of a unit, a document or a path. Offsets are those of the text in UTF-16 code units. In ASCII they equal
 * byte offsets, so most queries decode no more than one line.
 */
export interface SearchableText {
  readonly bytes: Buffer;
  readonly ascii: boolean;
  /** Returns the length of the text without the newline at its end, which starts no further line. */
  length(): number;
  text(): string;
  slice(start: number, end: number): string;
  /** Returns the UTF-16 code unit at an offset inside the text. */
  codeAt(at: number): number;
  startOfLine(at: number): number;
  endOfLine(at: number): number;
  /** Returns the byte offset of the first occurrence of the needle at or after the byte offset `from`, or -1. */
  find(needle: Needle, from: number): number;
  /** Returns the line that contains a byte, and the byte offset of its end. */
  lineOfByte(at: number): { readonly text: string; readonly end: number };
  /** Returns the number of newlines between the text offsets `[from, to)`. */
  countLines(from: number, to: number): number;
}

const newlineByte = 0x0a;

export function searchableText(bytes: Buffer, flags: number): SearchableText {
  return textIn(bytes, 0, bytes.length, flags, undefined);
}

/**
 * Returns the text in `memory` from `start` to `end`. Text in the memory of `arena` is searched with its fast scan.
 */
export function textIn(
  memory: Buffer,
  start: number,
  end: number,
  flags: number,
  arena: TextArena | undefined,
): SearchableText {
  const trimmed = end > start && memory[end - 1] === newlineByte ? end - 1 : end;
  return (flags & unitFlags.ascii) !== 0
    ? new AsciiText(memory, start, trimmed, arena)
    : new UnicodeText(memory, start, trimmed, (bytes) => decodeText(bytes, flags), arena);
}

export function searchablePath(path: string): SearchableText {
  const bytes = Buffer.from(path);
  return isAscii(bytes)
    ? new AsciiText(bytes, 0, bytes.length, undefined)
    : new UnicodeText(bytes, 0, bytes.length, (part) => part.toString(), undefined);
}

/**
 * Number of bytes searched for a line end in a loop. Lines are short, so most ends are found in less time than a call
 * into the runtime takes.
 */
const nearBytes = 160;

/** A class, because one is created for every unit that is read: its methods are shared through the prototype. */
class AsciiText implements SearchableText {
  readonly ascii = true;
  readonly #memory: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #arena: TextArena | undefined;
  #text: string | undefined;

  constructor(memory: Buffer, start: number, end: number, arena: TextArena | undefined) {
    this.#memory = memory;
    this.#start = start;
    this.#end = end;
    this.#arena = arena;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end);
  }

  length(): number {
    return this.#end - this.#start;
  }

  text(): string {
    this.#text ??= this.#memory.toString('latin1', this.#start, this.#end);
    return this.#text;
  }

  slice(start: number, end: number): string {
    return this.#memory.toString('latin1', this.#start + start, Math.min(this.#start + end, this.#end));
  }

  codeAt(at: number): number {
    return this.#memory[this.#start + at]!;
  }

  startOfLine(at: number): number {
    const memory = this.#memory;
    const near = Math.max(this.#start, this.#start + at - nearBytes);
    let start = this.#start + at;
    while (start > near && memory[start - 1] !== newlineByte) start--;
    if (start > near || start === this.#start) return start - this.#start;
    return this.bytes.lastIndexOf(newlineByte, start - this.#start - 1) + 1;
  }

  endOfLine(at: number): number {
    const memory = this.#memory;
    const near = Math.min(this.#end, this.#start + at + nearBytes);
    let end = this.#start + at;
    while (end < near && memory[end] !== newlineByte) end++;
    if (end < near || end >= this.#end) return Math.min(end, this.#end) - this.#start;
    const found = this.bytes.indexOf(newlineByte, end - this.#start);
    return found < 0 ? this.length() : found;
  }

  find(needle: Needle, from: number): number {
    const found =
      this.#arena?.find(needle, this.#memory, this.#start + from, this.#end) ??
      findAnywhere(needle, this.#memory, this.#start + from, this.#end);
    return found < 0 ? -1 : found - this.#start;
  }

  lineOfByte(at: number): { readonly text: string; readonly end: number } {
    const end = this.endOfLine(at);
    return { text: this.slice(this.startOfLine(at), end), end };
  }

  countLines(from: number, to: number): number {
    return (
      this.#arena?.countNewlines(this.#memory, this.#start + from, this.#start + to) ??
      countIn(this.text(), from, to)
    );
  }
}

/** Text with non-ASCII characters. It is decoded on first use. */
class UnicodeText implements SearchableText {
  readonly ascii = false;
  readonly #memory: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #decode: (bytes: Buffer) => string;
  readonly #arena: TextArena | undefined;
  #text: string | undefined;

  constructor(
    memory: Buffer,
    start: number,
    end: number,
    decode: (bytes: Buffer) => string,
    arena: TextArena | undefined,
  ) {
    this.#memory = memory;
    this.#start = start;
    this.#end = end;
    this.#decode = decode;
    this.#arena = arena;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end);
  }

  length(): number {
    return this.text().length;
  }

  text(): string {
    this.#text ??= this.#decode(this.bytes);
    return this.#text;
  }

  slice(start: number, end: number): string {
    return this.text().slice(start, end);
  }

  codeAt(at: number): number {
    return this.text().charCodeAt(at);
  }

  startOfLine(at: number): number {
    return startOfLine(this.text(), at);
  }

  endOfLine(at: number): number {
    return endOfLine(this.text(), at);
  }

  find(needle: Needle, from: number): number {
    const found =
      this.#arena?.find(needle, this.#memory, this.#start + from, this.#end) ??
      findAnywhere(needle, this.#memory, this.#start + from, this.#end);
    return found < 0 ? -1 : found - this.#start;
  }

  lineOfByte(at: number): { readonly text: string; readonly end: number } {
    const { bytes } = this;
    const start = at === 0 ? 0 : bytes.lastIndexOf(newlineByte, at - 1) + 1;
    const newline = bytes.indexOf(newlineByte, at);
    const end = newline < 0 ? bytes.length : newline;
    return { text: this.#decode(bytes.subarray(start, end)), end };
  }

  countLines(from: number, to: number): number {
    return countIn(this.text(), from, to);
  }
}

function countIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
