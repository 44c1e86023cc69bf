import { type LineMatch, maxLineLength } from '../../../port.ts';
import { displayText } from './decode-text.ts';
import type { SearchableText } from './searchable-text.ts';
import type { Span } from './span.ts';

const carriageReturn = 0x0d;

/** Returns a line with its match, truncated to at most 2,000 characters around the match. */
export function truncateLine(
  searched: SearchableText,
  line: Span,
  match: Span,
): Pick<LineMatch, 'text' | 'textOffset' | 'column' | 'length'> {
  const hasCarriageReturn = line.end > line.start && searched.codeAt(line.end - 1) === carriageReturn;
  const end = hasCarriageReturn ? line.end - 1 : line.end;
  const slack = Math.max(0, maxLineLength - (match.end - match.start));
  const fits = end - line.start <= maxLineLength;
  const from = fits ? line.start : Math.max(line.start, match.start - (slack >> 1));
  const to = Math.min(end, from + maxLineLength);
  const start = Math.min(match.start, to);
  return {
    text: displayText(searched.slice(from, to)),
    textOffset: from - line.start,
    column: start - line.start + 1,
    length: Math.max(0, Math.min(match.end, to) - start),
  };
}
