import { isAscii } from 'node:buffer';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import { decodeText } from './decode-text.ts';
import { endOfLine, startOfLine } from './lines.ts';
import { findAnywhere, type Needle } from './scan/needle.ts';
import type { TextArena } from './scan/text-arena.ts';

/**
 * A unit, a document or a path. Positions are those of its text in UTF-16; of ASCII they are those of the bytes too,
 * and most questions are answered without decoding more than a line.
 */
export interface SearchableText {
  readonly bytes: Buffer;
  readonly ascii: boolean;
  /** Of the text, without the newline at its end: no empty line follows it. */
  length(): number;
  text(): string;
  slice(start: number, end: number): string;
  /** The UTF-16 code unit at a place inside. */
  codeAt(at: number): number;
  startOfLine(at: number): number;
  endOfLine(at: number): number;
  /** Where the bytes of the needle stand first at or after `from`, a place of bytes; -1 when nowhere. */
  find(needle: Needle, from: number): number;
  /** The line round a byte, and the place of the byte behind it. */
  lineOfByte(at: number): { readonly text: string; readonly end: number };
  /** Newlines in `[from, to)`, places of text. */
  countLines(from: number, to: number): number;
}

const NEWLINE = 0x0a;

export function searchableText(bytes: Buffer, flags: number): SearchableText {
  return textIn(bytes, 0, bytes.length, flags, undefined);
}

/** What `memory` holds from `start` to `end`; what lies in the arena is searched there. */
export function textIn(
  memory: Buffer,
  start: number,
  end: number,
  flags: number,
  arena: TextArena | undefined,
): SearchableText {
  const trimmed = end > start && memory[end - 1] === NEWLINE ? end - 1 : end;
  return (flags & UNIT_FLAGS.ascii) !== 0
    ? new AsciiText(memory, start, trimmed, arena)
    : new UnicodeText(memory, start, trimmed, (bytes) => decodeText(bytes, flags), arena);
}

export function searchablePath(path: string): SearchableText {
  const bytes = Buffer.from(path);
  return isAscii(bytes)
    ? new AsciiText(bytes, 0, bytes.length, undefined)
    : new UnicodeText(bytes, 0, bytes.length, (part) => part.toString(), undefined);
}

/** Lines are short: most ends are found before a call into the runtime would have begun. */
const NEAR = 160;

/** A class, as one is made for every unit that is looked at: its functions are those of the prototype. */
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
    const near = Math.max(this.#start, this.#start + at - NEAR);
    let start = this.#start + at;
    while (start > near && memory[start - 1] !== NEWLINE) start--;
    if (start > near || start === this.#start) return start - this.#start;
    return this.bytes.lastIndexOf(NEWLINE, start - this.#start - 1) + 1;
  }

  endOfLine(at: number): number {
    const memory = this.#memory;
    const near = Math.min(this.#end, this.#start + at + NEAR);
    let end = this.#start + at;
    while (end < near && memory[end] !== NEWLINE) end++;
    if (end < near || end >= this.#end) return Math.min(end, this.#end) - this.#start;
    const found = this.bytes.indexOf(NEWLINE, end - this.#start);
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

/** Decoded when its text is first asked for. */
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
    const start = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
    const newline = bytes.indexOf(NEWLINE, at);
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
