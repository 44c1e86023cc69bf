import { type LineMatch, longestLine } from '../../port.ts';
import { showText } from './decode-text.ts';
import type { SearchableText } from './searchable-text.ts';
import type { Span } from './span.ts';

const RETURN = 0x0d;

/** A line with its match, at most 2,000 characters of it round the match. */
export function cutLine(
  searched: SearchableText,
  line: Span,
  match: Span,
): Pick<LineMatch, 'text' | 'textOffset' | 'column' | 'length'> {
  const endsWithReturn = line.end > line.start && searched.codeAt(line.end - 1) === RETURN;
  const end = endsWithReturn ? line.end - 1 : line.end;
  const slack = Math.max(0, longestLine - (match.end - match.start));
  const fits = end - line.start <= longestLine;
  const from = fits ? line.start : Math.max(line.start, match.start - (slack >> 1));
  const to = Math.min(end, from + longestLine);
  const start = Math.min(match.start, to);
  return {
    text: showText(searched.slice(from, to)),
    textOffset: from - line.start,
    column: start - line.start + 1,
    length: Math.max(0, Math.min(match.end, to) - start),
  };
}
