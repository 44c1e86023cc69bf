import type { DefinedSymbol, LineMatch } from '../../port.ts';
import type { ShownBudget } from '../../shown-budget.ts';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import type { ContentAtom, ShownAtoms } from './compile-query.ts';
import { linesAfter, linesBefore } from './context-lines.ts';
import { cutLine } from './cut-line.ts';
import { showText } from './decode-text.ts';
import type { DocumentText } from './open-document.ts';
import { type SearchableText, searchablePath, searchableText } from './searchable-text.ts';
import { spansOfSymbols, unitOfLine, wantedSymbols, withSymbols } from './shown-symbols.ts';
import type { Span } from './span.ts';

export interface ShownLines {
  readonly matches: readonly LineMatch[];
  readonly moreMatches: number;
}

/** A part of a document that holds whole lines, and the number of its first. */
interface Piece {
  readonly searched: SearchableText;
  readonly firstLine: number;
}

/** The matching lines of a document in order, the first `most` of them in full. */
export function linesOf(
  atoms: ShownAtoms,
  document: DocumentText,
  shown: { readonly most: number; readonly context: number; readonly budget: ShownBudget },
): ShownLines {
  const matches: LineMatch[] = [];
  let lines = 0;
  const wanted = wantedSymbols(atoms, document);
  const fits = shown.budget.ofFile();
  for (const piece of piecesOf(atoms, document, wanted, shown.context)) {
    const spans = spansByLine(atoms, piece, wanted);
    const first = spans.slice(0, Math.max(0, shown.most - lines));
    matches.push(...describeLines(piece, first, shown.context, fits));
    lines += spans.length;
  }
  if (lines === 0) return { matches: pathMatch(atoms, document), moreMatches: 0 };
  return { matches: withSymbols(document, matches), moreMatches: lines - matches.length };
}

/** The units that may hold a match; the whole document where lines around a match are asked for. */
function* piecesOf(
  { content }: ShownAtoms,
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
  content: ShownAtoms['content'],
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
    .reduce((all, own) => all & own, UNIT_FLAGS.ascii | UNIT_FLAGS.validUtf8);
  return searchableText(segment.readUnits(from, to), flags);
}

/** The first match of each line, whichever atom it is of. */
function spansByLine(
  { content }: ShownAtoms,
  { searched, firstLine }: Piece,
  wanted: ReadonlyMap<number, DefinedSymbol>,
): Span[] {
  const [only, ...others] = content;
  if (only !== undefined && others.length === 0 && wanted.size === 0) return spansOf(only, searched);
  const byLine = new Map<number, Span>();
  for (const span of spansOfSymbols(searched, firstLine, wanted))
    byLine.set(searched.startOfLine(span.start), span);
  for (const span of content.flatMap((atom) => spansOf(atom, searched))) {
    const line = searched.startOfLine(span.start);
    const known = byLine.get(line);
    if (known === undefined || span.start < known.start) byLine.set(line, span);
  }
  return [...byLine.values()].toSorted((a, b) => a.start - b.start);
}

/** The first match of each line. */
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
      ...cutLine(searched, { start, end }, span),
      before: context === 0 ? [] : linesBefore(searched.text(), start, context).map(showText),
      after: context === 0 ? [] : linesAfter(searched.text(), end, context).map(showText),
    };
    if (!fits(match)) break;
    matches.push(match);
  }
  return matches;
}

/** A file found by its path alone shows its first line, with a match of length 0. */
function pathMatch(atoms: ShownAtoms, document: DocumentText): LineMatch[] {
  const path = searchablePath(document.live.path(document.document));
  if (!atoms.path.some(({ matcher }) => matcher.holds(path))) return [];
  const whole = wholeDocument(document);
  const line = { start: 0, end: whole.endOfLine(0) };
  return [{ line: 1, ...cutLine(whole, line, { start: 0, end: 0 }), before: [], after: [] }];
}
