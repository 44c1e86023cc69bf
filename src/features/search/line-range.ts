import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

/** A range of lines, 1-based and inclusive. If `last` is undefined, it extends to the end of the file. */
export interface LineRange {
  readonly first: number;
  readonly last: number | undefined;
}

export interface LineSlice {
  readonly startLine: number;
  /** `startLine - 1` for an empty file. */
  readonly endLine: number;
  readonly totalLines: number;
  /** Text with the line terminators of the file. */
  readonly content: string;
  /** True if the first line exceeds the maximum and `content` contains only its beginning. */
  readonly lineTruncated: boolean;
}

/** Maximum size of one response: about 8,000 tokens, because clients refuse results over 25,000. */
const maxLines = 500;
const maxBytes = 24 * 1024;

/** Parses a range: `10-20`, `10` or `10-`. @throws InvalidInput */
export function parseLineRange(text: string): LineRange {
  const match = /^([1-9]\d{0,8})(-([1-9]\d{0,8})?)?$/u.exec(text);
  const first = Number(match?.[1]);
  const last = match?.[2] === undefined ? first : match[3] === undefined ? undefined : Number(match[3]);
  if (match === null || (last !== undefined && last < first)) {
    throw error('must be a range of lines counted from 1: `10-20`, `10` or `10-`');
  }
  return { first, last };
}

/**
 * Returns the lines of a range, at most 500 lines and 24 KB. @throws InvalidInput if the file ends before the range.
 */
export function sliceLines(text: string, range: LineRange): LineSlice {
  const starts = lineStarts(text);
  const totalLines = starts.length;
  if (totalLines === 0 && range.first === 1) {
    return { startLine: 1, endLine: 0, totalLines, content: '', lineTruncated: false };
  }
  if (range.first > totalLines) throw error(`starts after the end: the file has ${totalLines} lines`);
  const last = Math.min(range.last ?? totalLines, totalLines, range.first + maxLines - 1);
  const endOf = (line: number): number => starts[line] ?? text.length;
  const start = endOf(range.first - 1);
  let endLine = range.first;
  let bytes = Buffer.byteLength(text.slice(start, endOf(endLine)));
  const lineTruncated = bytes > maxBytes;
  while (endLine < last) {
    bytes += Buffer.byteLength(text.slice(endOf(endLine), endOf(endLine + 1)));
    if (bytes > maxBytes) break;
    endLine += 1;
  }
  const content = text.slice(start, endOf(endLine));
  return {
    startLine: range.first,
    endLine,
    totalLines,
    content: lineTruncated ? truncateBytes(content) : content,
    lineTruncated,
  };
}

/** Returns the offsets at which lines start. A final line terminator does not start another line. */
function lineStarts(text: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length; ) {
    starts.push(at);
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  return starts;
}

/** Truncates a text to the maximum size, without splitting a character. */
function truncateBytes(text: string): string {
  return Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD$/u, '');
}

function error(message: string): InvalidInput {
  return invalidField('lines', message, `The line range ${message}.`);
}
