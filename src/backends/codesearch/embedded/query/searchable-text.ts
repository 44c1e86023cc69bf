import { isAscii } from 'node:buffer';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import { decodeText } from './decode-text.ts';
import { endOfLine, startOfLine } from './lines.ts';

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
}

const NEWLINE = 0x0a;

export function searchableText(bytes: Buffer, flags: number): SearchableText {
  const trimmed = bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  return (flags & UNIT_FLAGS.ascii) !== 0
    ? asciiText(trimmed)
    : unicodeText(trimmed, () => decodeText(trimmed, flags));
}

export function searchablePath(path: string): SearchableText {
  const bytes = Buffer.from(path);
  return isAscii(bytes) ? asciiText(bytes) : unicodeText(bytes, () => path);
}

function asciiText(bytes: Buffer): SearchableText {
  let text: string | undefined;
  return {
    bytes,
    ascii: true,
    length: () => bytes.length,
    text: () => (text ??= bytes.toString('latin1')),
    slice: (start, end) => bytes.toString('latin1', start, end),
    startOfLine: (at) => (at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1),
    endOfLine: (at) => {
      const end = bytes.indexOf(NEWLINE, at);
      return end < 0 ? bytes.length : end;
    },
  };
}

function unicodeText(bytes: Buffer, decode: () => string): SearchableText {
  let decoded: string | undefined;
  const text = (): string => (decoded ??= decode());
  return {
    bytes,
    ascii: false,
    length: () => text().length,
    text,
    slice: (start, end) => text().slice(start, end),
    startOfLine: (at) => startOfLine(text(), at),
    endOfLine: (at) => endOfLine(text(), at),
  };
}
