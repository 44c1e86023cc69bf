import { isAscii } from 'node:buffer';
import type { Definition } from '../../port.ts';
import { type Bits, emptyBits, setBit } from '../format/bits.ts';
import { unitFlags } from '../format/segment-sections.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import type { SymbolTable } from '../read/tables/symbol-table.ts';
import type { SymbolAtom } from './compile-query.ts';
import { type SearchableText, searchableText } from './text/searchable-text.ts';

/** An atom that is compared with names, which are searched as text with one name per line. */
type NameAtom = Pick<SymbolAtom, 'matcher' | 'name'>;

/** Returns the documents of the segment that define a matching name. */
export function symbolDocuments({ segment, symbols: { table: symbols } }: LiveSegment, atom: NameAtom): Bits {
  const found = emptyBits(segment.documents.count);
  if (atom.name !== undefined) {
    symbols.eachNaming(atom.name, (document) => setBit(found, document));
    return found;
  }
  if (!symbols.namesAreAscii) return documentByDocument(symbols, atom, found, segment.documents.count);
  const searched = searchableText(symbols.names, unitFlags.ascii);
  for (let from = 0; from < searched.length(); ) {
    const span = atom.matcher.first(searched, from);
    if (span === undefined) break;
    const { document, end } = symbols.documentAt(span.start);
    setBit(found, document);
    from = end;
  }
  return found;
}

/** Searches the names of each document as a separate text, because text offsets equal byte offsets only in ASCII. */
function documentByDocument(symbols: SymbolTable, atom: NameAtom, found: Bits, count: number): Bits {
  for (let document = 0; document < count; document++) {
    if (definesMatch(symbols, document, atom)) setBit(found, document);
  }
  return found;
}

export function definesMatch(symbols: SymbolTable, document: number, atom: NameAtom): boolean {
  const names = namesOf(symbols, document);
  return names !== undefined && atom.matcher.holds(names);
}

/** Returns the names that a document defines, one per line, or `undefined` if it defines none. */
export function namesOf(symbols: SymbolTable, document: number): SearchableText | undefined {
  const bytes = symbols.namesOf(document);
  if (bytes.length === 0) return undefined;
  return searchableText(bytes, symbols.namesAreAscii || isAscii(bytes) ? unitFlags.ascii : 0);
}

/** Returns the matching definitions of a document in line order. */
export function symbolsIn(
  { symbols: { table: symbols } }: LiveSegment,
  document: number,
  atom: NameAtom,
): Definition[] {
  if (atom.name !== undefined) return symbols.named(document, atom.name);
  const names = namesOf(symbols, document);
  if (names === undefined) return [];
  const found: Definition[] = [];
  let number = 0;
  for (let from = 0, counted = 0; from < names.length(); ) {
    const span = atom.matcher.first(names, from);
    if (span === undefined) break;
    number += names.countLines(counted, span.start);
    found.push(symbols.at(document, number));
    counted = span.start;
    from = names.endOfLine(span.end) + 1;
  }
  return found;
}
