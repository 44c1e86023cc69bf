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
  startOfLine(at: number): number;
  endOfLine(at: number): number;
  /** Where the bytes of the needle stand first at or after `from`, a place of bytes; -1 when nowhere. */
  find(needle: Needle, from: number): number;
  /** Newlines in `[from, to)`, places of text. */
  countLines(from: number, to: number): number;
}

const NEWLINE = 0x0a;

/** `bytes` that lie in the arena are searched there. */
export function searchableText(bytes: Buffer, flags: number, arena?: TextArena): SearchableText {
  const trimmed =
    bytes.length > 0 && bytes[bytes.length - 1] === NEWLINE ? bytes.subarray(0, bytes.length - 1) : bytes;
  return (flags & UNIT_FLAGS.ascii) !== 0
    ? new AsciiText(trimmed, arena)
    : new UnicodeText(trimmed, () => decodeText(trimmed, flags), arena);
}

export function searchablePath(path: string): SearchableText {
  const bytes = Buffer.from(path);
  return isAscii(bytes) ? new AsciiText(bytes, undefined) : new UnicodeText(bytes, () => path, undefined);
}

/** Lines are short: most ends are found before a call into the runtime would have begun. */
const NEAR = 160;

/** A class, as one is made for every unit that is read: its functions are those of the prototype. */
class AsciiText implements SearchableText {
  readonly bytes: Buffer;
  readonly ascii = true;
  readonly #arena: TextArena | undefined;
  #text: string | undefined;

  constructor(bytes: Buffer, arena: TextArena | undefined) {
    this.bytes = bytes;
    this.#arena = arena;
  }

  length(): number {
    return this.bytes.length;
  }

  text(): string {
    this.#text ??= this.bytes.toString('latin1');
    return this.#text;
  }

  slice(start: number, end: number): string {
    return this.bytes.toString('latin1', start, end);
  }

  startOfLine(at: number): number {
    const { bytes } = this;
    const near = Math.max(0, at - NEAR);
    let start = at;
    while (start > near && bytes[start - 1] !== NEWLINE) start--;
    if (start > near || start === 0) return start;
    return bytes.lastIndexOf(NEWLINE, start - 1) + 1;
  }

  endOfLine(at: number): number {
    const { bytes } = this;
    const near = Math.min(bytes.length, at + NEAR);
    let end = at;
    while (end < near && bytes[end] !== NEWLINE) end++;
    if (end < near || end >= bytes.length) return Math.min(end, bytes.length);
    const found = bytes.indexOf(NEWLINE, end);
    return found < 0 ? bytes.length : found;
  }

  find(needle: Needle, from: number): number {
    return this.#arena?.find(needle, this.bytes, from) ?? findAnywhere(needle, this.bytes, from);
  }

  countLines(from: number, to: number): number {
    return this.#arena?.countNewlines(this.bytes, from, to) ?? countIn(this.text(), from, to);
  }
}

/** Decoded when its text is first asked for. */
class UnicodeText implements SearchableText {
  readonly bytes: Buffer;
  readonly ascii = false;
  readonly #decode: () => string;
  readonly #arena: TextArena | undefined;
  #text: string | undefined;

  constructor(bytes: Buffer, decode: () => string, arena: TextArena | undefined) {
    this.bytes = bytes;
    this.#decode = decode;
    this.#arena = arena;
  }

  length(): number {
    return this.text().length;
  }

  text(): string {
    this.#text ??= this.#decode();
    return this.#text;
  }

  slice(start: number, end: number): string {
    return this.text().slice(start, end);
  }

  startOfLine(at: number): number {
    return startOfLine(this.text(), at);
  }

  endOfLine(at: number): number {
    return endOfLine(this.text(), at);
  }

  find(needle: Needle, from: number): number {
    return this.#arena?.find(needle, this.bytes, from) ?? findAnywhere(needle, this.bytes, from);
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
