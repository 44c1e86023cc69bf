import { isAscii } from 'node:buffer';
import { type Bits, emptyBits, setBit } from '../format/bits.ts';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import type { PlacedSymbol, SymbolTable } from '../read/symbol-table.ts';
import type { CompiledQuery } from './compile-query.ts';
import type { Matcher } from './matcher.ts';
import { type SearchableText, searchableText } from './searchable-text.ts';

/** Whatever looks for text: names are a text with a line for each. */
interface Searching {
  readonly matcher: Matcher;
}

/** The documents of the segment that define a name with a match; none where it was built before symbols were. */
export function symbolDocuments({ segment }: LiveSegment, atom: Searching): Bits {
  const { symbols } = segment;
  const found = emptyBits(segment.documents.count);
  if (symbols === undefined) return found;
  if (!symbols.namesAreAscii) return documentByDocument(symbols, atom, found, segment.documents.count);
  const searched = searchableText(symbols.names, UNIT_FLAGS.ascii);
  for (let from = 0; from < searched.length(); ) {
    const span = atom.matcher.first(searched, from);
    if (span === undefined) break;
    const document = symbols.documentAt(span.start);
    setBit(found, document);
    from = symbols.firstName[document + 1]!;
  }
  return found;
}

/** Positions in text are those of bytes in ASCII alone; of all other names each document's are a text. */
function documentByDocument(symbols: SymbolTable, atom: Searching, found: Bits, count: number): Bits {
  for (let document = 0; document < count; document++) {
    if (definesMatch(symbols, document, atom)) setBit(found, document);
  }
  return found;
}

export function definesMatch(symbols: SymbolTable, document: number, atom: Searching): boolean {
  const names = namesOf(symbols, document);
  return names !== undefined && atom.matcher.holds(names);
}

/** The names that a document defines, a line each; `undefined` where it defines none. */
export function namesOf(
  { names, namesAreAscii, firstName }: SymbolTable,
  document: number,
): SearchableText | undefined {
  const from = firstName[document]!;
  const to = firstName[document + 1]!;
  if (from === to) return undefined;
  const bytes = names.subarray(from, to);
  return searchableText(bytes, namesAreAscii || isAscii(bytes) ? UNIT_FLAGS.ascii : 0);
}

/** Whether the query asks for symbols where a segment, built before they were, cannot tell. */
export function lacksSymbols(query: CompiledQuery, segments: readonly LiveSegment[]): boolean {
  return asksForSymbols(query) && segments.some(({ segment }) => segment.symbols === undefined);
}

function asksForSymbols(query: CompiledQuery): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.operands.some(asksForSymbols);
  return query.kind === 'not' ? asksForSymbols(query.operand) : query.kind === 'symbol';
}

/** The matching definitions of a document in order of lines. */
export function symbolsIn({ segment }: LiveSegment, document: number, atom: Searching): PlacedSymbol[] {
  const { symbols } = segment;
  const names = symbols && namesOf(symbols, document);
  if (symbols === undefined || names === undefined) return [];
  const numbers: number[] = [];
  let number = 0;
  for (let from = 0, counted = 0; from < names.length(); ) {
    const span = atom.matcher.first(names, from);
    if (span === undefined) break;
    number += names.countLines(counted, span.start);
    numbers.push(number);
    counted = span.start;
    from = names.endOfLine(span.end) + 1;
  }
  return symbols.numbered(document, numbers);
}

export function byteOffset(names: SearchableText, at: number): number {
  if (names.ascii || at === 0) return at;
  const lines = names.countLines(0, at);
  let offset = 0;
  for (let line = 0; line < lines; line++) offset = names.bytes.indexOf(0x0a, offset) + 1;
  return offset;
}
