import type { PlacedSymbol } from '../read/symbol-table.ts';
import { knowsSymbols } from '../symbols/symbols-of.ts';
import type { Matcher } from './matcher.ts';
import type { DocumentText } from './open-document.ts';
import { byteOffset, namesOf } from './symbol-matches.ts';

/** How a match lies in the name of a definition. */
export type Grade = 'whole' | 'start' | 'part';

export interface Definition {
  readonly grade: Grade;
  readonly symbol: PlacedSymbol;
  /** The name was asked for in any case, in lower case as people do, and is written otherwise. */
  readonly inOtherCase: boolean;
}

/** Names of a document that are looked at for the best. */
const MOST_NAMES = 32;

/** True when the index knows what the document defines: a line then need not be asked how it looks. */
export function hasSymbols({ live: { segment }, document }: DocumentText): boolean {
  return segment.symbols !== undefined && knowsSymbols(segment.documents.language(document));
}

/** The best of what the document defines under a name with a match. */
export function definitionOf(
  atom: { readonly matcher: Matcher },
  { live: { segment }, document }: DocumentText,
): Definition | undefined {
  const { symbols } = segment;
  const names = symbols && namesOf(symbols, document);
  if (symbols === undefined || names === undefined) return undefined;
  let best: { grade: Grade; at: number } | undefined;
  for (let from = 0, count = 0; count < MOST_NAMES && from < names.length(); count++) {
    const span = atom.matcher.first(names, from);
    if (span === undefined) break;
    const start = names.startOfLine(span.start);
    const end = names.endOfLine(span.end);
    const grade = span.start > start ? 'part' : span.end < end ? 'start' : 'whole';
    if (best === undefined || WORTH[grade] > WORTH[best.grade]) best = { grade, at: start };
    if (grade === 'whole') break;
    from = end + 1;
  }
  if (best === undefined) return undefined;
  const symbol = symbols.at(symbols.firstName[document]! + byteOffset(names, best.at));
  const anyCase = atom.matcher.needles.some((needle) => needle.anyCase);
  return { grade: best.grade, symbol, inOtherCase: anyCase && symbol.name !== symbol.name.toLowerCase() };
}

const WORTH: Readonly<Record<Grade, number>> = { whole: 2, start: 1, part: 0 };
