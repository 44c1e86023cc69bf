import type { DefinedSymbol, LineMatch } from '../../port.ts';
import type { PositiveAtoms } from './compile-query.ts';
import type { DocumentText } from './open-document.ts';
import { symbolsIn } from './symbol-matches.ts';
import type { SearchableText } from './text/searchable-text.ts';
import type { Span } from './text/span.ts';

/** Returns the definitions that match the symbol atoms of the query, by line. */
export function matchingSymbols(
  atoms: PositiveAtoms,
  { live, document }: DocumentText,
): ReadonlyMap<number, DefinedSymbol> {
  const wanted = new Map<number, DefinedSymbol>();
  for (const atom of atoms.symbol) {
    for (const { line, name, kind } of symbolsIn(live, document, atom)) {
      if (!wanted.has(line)) wanted.set(line, { name, kind });
    }
  }
  return wanted;
}

/** Returns the unit of the document that contains a line. */
export function unitOfLine({ live: { segment }, document }: DocumentText, line: number): number {
  const { firstLines } = segment.units;
  let unit = segment.documents.firstUnit[document]!;
  const last = segment.documents.firstUnit[document + 1]! - 1;
  while (unit < last && firstLines[unit + 1]! <= line) unit++;
  return unit;
}

/** Returns the spans of the names in a text whose first line has the number `firstLine`. */
export function symbolSpans(
  searched: SearchableText,
  firstLine: number,
  wanted: ReadonlyMap<number, DefinedSymbol>,
): Span[] {
  if (wanted.size === 0) return [];
  const spans: Span[] = [];
  let line = firstLine;
  let start = 0;
  for (const [wantedLine, { name }] of [...wanted].toSorted(([a], [b]) => a - b)) {
    if (wantedLine < firstLine) continue;
    for (; line < wantedLine && start <= searched.length(); line++) start = searched.endOfLine(start) + 1;
    if (start > searched.length()) break;
    const text = searched.slice(start, searched.endOfLine(start));
    const at = offsetOf(name, text);
    spans.push({ start: start + at, end: start + (text.startsWith(name, at) ? at + name.length : at) });
  }
  return spans;
}

/** Returns the offset of the name in the line, preferably as a whole word; 0 if the line does not contain it. */
function offsetOf(name: string, line: string): number {
  const first = line.indexOf(name);
  for (let at = first; at >= 0; at = line.indexOf(name, at + 1)) {
    if (!isWordAt(line, at - 1) && !isWordAt(line, at + name.length)) return at;
  }
  return Math.max(0, first);
}

function isWordAt(line: string, at: number): boolean {
  return /[\w$]/.test(line[at] ?? '');
}

/** Adds to each match the definition whose name it overlaps. */
export function addSymbols(
  { live: { symbols }, document }: DocumentText,
  matches: readonly LineMatch[],
): LineMatch[] {
  if (matches.length === 0) return [];
  const defined = symbols.table.onLines(document, new Set(matches.map(({ line }) => line)));
  if (defined.size === 0) return [...matches];
  return matches.map((match) => {
    const symbol = defined.get(match.line);
    return symbol !== undefined && overlapsName(match, symbol.name) ? { ...match, symbol } : match;
  });
}

function overlapsName({ text, textOffset, column, length }: LineMatch, name: string): boolean {
  const start = column - 1 - textOffset;
  const at = offsetOf(name, text);
  return text.startsWith(name, at) && start < at + name.length && start + length > at;
}
