import type { LineMatch } from '../../port.ts';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import type { ShownAtoms } from './compile-query.ts';
import { showText } from './decode-text.ts';
import { endOfLine, startOfLine } from './lines.ts';
import type { Span } from './matcher.ts';
import { type SearchableText, searchablePath, searchableText } from './searchable-text.ts';

const LONGEST_LINE = 2000;

export interface ShownLines {
  readonly matches: readonly LineMatch[];
  readonly moreMatches: number;
}

/** The matching lines of a document in order, the first `most` of them in full. */
export function linesOf(
  atoms: ShownAtoms,
  live: LiveSegment,
  document: number,
  shown: { readonly most: number; readonly context: number },
): ShownLines {
  const whole = wholeDocument(live, document);
  const spans = spansByLine(atoms, whole);
  const chosen = spans.slice(0, shown.most);
  if (spans.length === 0) return { matches: pathMatch(atoms, live, document), moreMatches: 0 };
  return {
    matches: describeLines(whole.text(), chosen, shown.context),
    moreMatches: spans.length - chosen.length,
  };
}

function wholeDocument(live: LiveSegment, document: number): SearchableText {
  const { segment } = live;
  const from = segment.documents.firstUnit[document]!;
  const to = segment.documents.firstUnit[document + 1]!;
  const flags = segment.units.flags
    .subarray(from, to)
    .reduce((all, own) => all & own, UNIT_FLAGS.ascii | UNIT_FLAGS.validUtf8);
  return searchableText(segment.readUnits(from, to), flags);
}

/** The first match of each line, whichever atom it is of. */
function spansByLine(atoms: ShownAtoms, whole: SearchableText): Span[] {
  const byLine = new Map<number, Span>();
  for (const atom of atoms.content) {
    for (let from = 0; from <= whole.bytes.length; ) {
      const span = atom.matcher.first(whole, from);
      if (span === undefined) break;
      const line = startOfLine(whole.text(), span.start);
      const known = byLine.get(line);
      if (known === undefined || span.start < known.start) byLine.set(line, span);
      from = endOfLine(whole.text(), span.end) + 1;
      if (from > whole.text().length) break;
    }
  }
  return [...byLine.values()].toSorted((a, b) => a.start - b.start);
}

function describeLines(text: string, spans: readonly Span[], context: number): LineMatch[] {
  const matches: LineMatch[] = [];
  let line = 1;
  let counted = 0;
  for (const span of spans) {
    const start = startOfLine(text, span.start);
    for (let at = text.indexOf('\n', counted); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line++;
    counted = start;
    const end = endOfLine(text, span.end);
    matches.push({
      line,
      ...cutLine(text, { start, end }, span),
      before: linesBefore(text, start, context),
      after: linesAfter(text, end, context),
    });
  }
  return matches;
}

/** The line, at most 2,000 characters of it round the match. */
function cutLine(text: string, line: Span, match: Span): Pick<LineMatch, 'text' | 'column' | 'length'> {
  const end = text[line.end - 1] === '\r' ? line.end - 1 : line.end;
  const slack = Math.max(0, LONGEST_LINE - (match.end - match.start));
  const from =
    end - line.start <= LONGEST_LINE ? line.start : Math.max(line.start, match.start - (slack >> 1));
  const to = Math.min(end, from + LONGEST_LINE);
  const start = Math.min(match.start, to);
  return {
    text: showText(text.slice(from, to)),
    column: start - from + 1,
    length: Math.max(0, Math.min(match.end, to) - start),
  };
}

function linesBefore(text: string, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let end = start - 1; lines.length < count && end >= 0; ) {
    const from = startOfLine(text, end);
    lines.unshift(contextLine(text, from, end));
    end = from - 1;
  }
  return lines;
}

function linesAfter(text: string, end: number, count: number): string[] {
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
  return showText(text.slice(from, Math.min(end, from + LONGEST_LINE)));
}

/** A file found by its path alone shows its first line, with a match of length 0. */
function pathMatch(atoms: ShownAtoms, live: LiveSegment, document: number): LineMatch[] {
  const path = searchablePath(live.segment.documents.path(document));
  if (!atoms.path.some((atom) => atom.matcher.first(path, 0) !== undefined)) return [];
  const text = wholeDocument(live, document).text();
  const line = { start: 0, end: endOfLine(text, 0) };
  return [{ line: 1, ...cutLine(text, line, { start: 0, end: 0 }), before: [], after: [] }];
}
