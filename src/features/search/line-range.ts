import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';

/** 1-based, inclusive; `last` undefined: to the end. */
export interface LineRange {
  readonly first: number;
  readonly last: number | undefined;
}

export interface LineSlice {
  readonly startLine: number;
  /** `startLine - 1` for an empty file. */
  readonly endLine: number;
  readonly totalLines: number;
  /** With the file's own line terminators. */
  readonly content: string;
  /** Set when even the first line alone is over the cap and only its beginning is in `content`. */
  readonly lineCut: boolean;
}

/** What one reading gives at most: near 8,000 tokens, as every answer, since clients refuse results over 25,000. */
const mostLines = 500;
const mostBytes = 24 * 1024;

/** `10-20`, `10`, `10-`. @throws InvalidInput */
export function parseLineRange(text: string): LineRange {
  const match = /^([1-9]\d{0,8})(-([1-9]\d{0,8})?)?$/u.exec(text);
  const first = Number(match?.[1]);
  const last = match?.[2] === undefined ? first : match[3] === undefined ? undefined : Number(match[3]);
  if (match === null || (last !== undefined && last < first)) {
    throw fault('must be a range of lines counted from 1: `10-20`, `10` or `10-`');
  }
  return { first, last };
}

/** The lines of `range`, at most 500 and 24 KB of them. @throws InvalidInput when the file ends before the range. */
export function sliceLines(text: string, range: LineRange): LineSlice {
  const starts = lineStarts(text);
  const totalLines = starts.length;
  if (totalLines === 0 && range.first === 1) {
    return { startLine: 1, endLine: 0, totalLines, content: '', lineCut: false };
  }
  if (range.first > totalLines) throw fault(`begins after the end: the file has ${totalLines} lines`);
  const last = Math.min(range.last ?? totalLines, totalLines, range.first + mostLines - 1);
  const endOf = (line: number): number => starts[line] ?? text.length;
  const start = endOf(range.first - 1);
  let endLine = range.first;
  let bytes = Buffer.byteLength(text.slice(start, endOf(endLine)));
  const lineCut = bytes > mostBytes;
  while (endLine < last) {
    bytes += Buffer.byteLength(text.slice(endOf(endLine), endOf(endLine + 1)));
    if (bytes > mostBytes) break;
    endLine += 1;
  }
  const content = text.slice(start, endOf(endLine));
  return {
    startLine: range.first,
    endLine,
    totalLines,
    content: lineCut ? cutBytes(content) : content,
    lineCut,
  };
}

/** Offsets at which lines begin; a final terminator begins none. */
function lineStarts(text: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length; ) {
    starts.push(at);
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  return starts;
}

/** Cut at the cap; a character cut in two is left out. */
function cutBytes(text: string): string {
  return Buffer.from(text)
    .subarray(0, mostBytes)
    .toString('utf8')
    .replace(/\uFFFD$/u, '');
}

function fault(message: string): InvalidInput {
  return invalidField('lines', message, `The line range ${message}.`);
}
