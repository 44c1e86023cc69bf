import type { MatchBudget } from '../../match-budget.ts';
import type { DefinedSymbol, LineMatch } from '../../port.ts';
import { unitFlags } from '../format/segment-sections.ts';
import type { ContentAtom, PositiveAtoms } from './compile-query.ts';
import { addSymbols, matchingSymbols, symbolSpans, unitOfLine } from './matching-symbols.ts';
import type { DocumentText } from './open-document.ts';
import { linesAfter, linesBefore } from './text/context-lines.ts';
import { displayText } from './text/decode-text.ts';
import { type SearchableText, searchablePath, searchableText } from './text/searchable-text.ts';
import type { Span } from './text/span.ts';
import { truncateLine } from './text/truncate-line.ts';

export interface MatchingLines {
  readonly matches: readonly LineMatch[];
  readonly moreMatches: number;
}

/** A part of a document that consists of whole lines, and the number of its first line. */
interface Piece {
  readonly searched: SearchableText;
  readonly firstLine: number;
}

/** Returns the matching lines of a document in order: `max` after the first `skip`. The lines after them are counted. */
export function matchingLines(
  atoms: PositiveAtoms,
  document: DocumentText,
  limits: {
    readonly skip: number;
    readonly max: number;
    readonly context: number;
    readonly budget: MatchBudget;
  },
): MatchingLines {
  const matches: LineMatch[] = [];
  let lines = 0;
  const wanted = matchingSymbols(atoms, document);
  const fits = limits.budget.forFile();
  for (const piece of piecesOf(atoms, document, wanted, limits.context)) {
    const spans = spansByLine(atoms, piece, wanted);
    const from = Math.max(0, limits.skip - lines);
    const page = spans.slice(from, Math.max(0, limits.skip + limits.max - lines));
    matches.push(...describeLines(piece, page, limits.context, fits));
    lines += spans.length;
  }
  if (lines === 0) return { matches: pathMatch(atoms, document), moreMatches: 0 };
  return {
    matches: addSymbols(document, matches),
    moreMatches: Math.max(0, lines - limits.skip - matches.length),
  };
}

/** Returns the numbers of the matching lines of a document, in ascending order. */
export function matchingLineNumbers(atoms: PositiveAtoms, document: DocumentText): readonly number[] {
  const numbers: number[] = [];
  const wanted = matchingSymbols(atoms, document);
  for (const piece of piecesOf(atoms, document, wanted, 0)) {
    const { searched, firstLine } = piece;
    let line = firstLine;
    let counted = 0;
    for (const span of spansByLine(atoms, piece, wanted)) {
      const start = searched.startOfLine(span.start);
      line += searched.countLines(counted, start);
      counted = start;
      numbers.push(line);
    }
  }
  return numbers;
}

/** Yields the units that may contain a match, or the whole document if context lines are requested. */
function* piecesOf(
  { content }: PositiveAtoms,
  document: DocumentText,
  wanted: ReadonlyMap<number, DefinedSymbol>,
  context: number,
): Generator<Piece> {
  if (context > 0) {
    yield { searched: wholeDocument(document), firstLine: 1 };
    return;
  }
  const { firstLines } = document.live.segment.units;
  const only = content.length === 1 && wanted.size === 0 ? content[0] : undefined;
  for (const unit of only === undefined ? unitsOfAll(content, document, wanted) : document.unitsOf(only)) {
    yield { searched: document.unit(unit, only), firstLine: firstLines[unit]! };
  }
}

function unitsOfAll(
  content: PositiveAtoms['content'],
  document: DocumentText,
  wanted: ReadonlyMap<number, DefinedSymbol>,
): readonly number[] {
  const units = new Set(content.flatMap((atom) => document.unitsOf(atom)));
  for (const line of wanted.keys()) units.add(unitOfLine(document, line));
  return [...units].toSorted((a, b) => a - b);
}

function wholeDocument({ live: { segment }, document }: DocumentText): SearchableText {
  const from = segment.documents.firstUnit[document]!;
  const to = segment.documents.firstUnit[document + 1]!;
  const flags = segment.units.flags
    .subarray(from, to)
    .reduce((all, own) => all & own, unitFlags.ascii | unitFlags.validUtf8);
  return searchableText(segment.readUnits(from, to), flags);
}

/** Returns the first match of each line, over all atoms. */
function spansByLine(
  { content }: PositiveAtoms,
  { searched, firstLine }: Piece,
  wanted: ReadonlyMap<number, DefinedSymbol>,
): Span[] {
  const [only, ...others] = content;
  if (only !== undefined && others.length === 0 && wanted.size === 0) return spansOf(only, searched);
  const byLine = new Map<number, Span>();
  for (const span of symbolSpans(searched, firstLine, wanted))
    byLine.set(searched.startOfLine(span.start), span);
  for (const span of content.flatMap((atom) => spansOf(atom, searched))) {
    const line = searched.startOfLine(span.start);
    const known = byLine.get(line);
    if (known === undefined || span.start < known.start) byLine.set(line, span);
  }
  return [...byLine.values()].toSorted((a, b) => a.start - b.start);
}

/** Returns the first match of each line. */
function spansOf({ matcher }: ContentAtom, searched: SearchableText): Span[] {
  const spans: Span[] = [];
  for (let from = 0; from === 0 || from <= searched.length(); ) {
    const span = matcher.first(searched, from);
    if (span === undefined) break;
    spans.push(span);
    from = searched.endOfLine(span.end) + 1;
  }
  return spans;
}

function describeLines(
  { searched, firstLine }: Piece,
  spans: readonly Span[],
  context: number,
  fits: (match: LineMatch) => boolean,
): LineMatch[] {
  const matches: LineMatch[] = [];
  let line = firstLine;
  let counted = 0;
  for (const span of spans) {
    const start = searched.startOfLine(span.start);
    line += searched.countLines(counted, start);
    counted = start;
    const end = searched.endOfLine(span.end);
    const match = {
      line,
      ...truncateLine(searched, { start, end }, span),
      before: context === 0 ? [] : linesBefore(searched.text(), start, context).map(displayText),
      after: context === 0 ? [] : linesAfter(searched.text(), end, context).map(displayText),
    };
    if (!fits(match)) break;
    matches.push(match);
  }
  return matches;
}

/** Returns the first line with a match of length 0, for a file that matches only by its path. */
function pathMatch(atoms: PositiveAtoms, document: DocumentText): LineMatch[] {
  const path = searchablePath(document.live.path(document.document));
  if (!atoms.path.some(({ matcher }) => matcher.holds(path))) return [];
  const whole = wholeDocument(document);
  const line = { start: 0, end: whole.endOfLine(0) };
  return [{ line: 1, ...truncateLine(whole, line, { start: 0, end: 0 }), before: [], after: [] }];
}
