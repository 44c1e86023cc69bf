import { counted } from '../../foundation/kernel/text/counted.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import type { LineRange } from '../../foundation/kernel/wire/line-range.ts';

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

/**
 * Returns the lines of a range, at most 500 lines and 24 KB. @throws InvalidInput if the file ends before the range.
 */
export function sliceLines(text: string, range: LineRange): LineSlice {
  const starts = lineStarts(text);
  const totalLines = starts.length;
  if (totalLines === 0 && range.first === 1) {
    return { startLine: 1, endLine: 0, totalLines, content: '', lineTruncated: false };
  }
  if (range.first > totalLines) {
    const message = `starts after the end: the file has ${counted(totalLines, 'line')}`;
    throw invalidField('lines', message, `The line range ${message}.`);
  }
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
