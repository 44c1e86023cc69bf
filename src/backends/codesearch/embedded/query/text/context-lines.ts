import { maxContextLineLength } from '../../../port.ts';
import { endOfLine, startOfLine } from './lines.ts';

/** Returns at most `count` lines that end before `start`, in order. */
export function linesBefore(text: string, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let end = start - 1; lines.length < count && end >= 0; ) {
    const from = startOfLine(text, end);
    lines.unshift(contextLine(text, from, end));
    end = from - 1;
  }
  return lines;
}

/** Returns at most `count` lines that start after `end`, in order. */
export function linesAfter(text: string, end: number, count: number): string[] {
  const lines: string[] = [];
  for (let from = end + 1; lines.length < count && from <= text.length; ) {
    const to = endOfLine(text, from);
    lines.push(contextLine(text, from, to));
    from = to + 1;
  }
  return lines;
}

function contextLine(text: string, from: number, to: number): string {
  const end = to > from && text[to - 1] === '\r' ? to - 1 : to;
  return text.slice(from, Math.min(end, from + maxContextLineLength));
}
