import type { Definition } from '../../port.ts';
import type { Matcher } from './matcher.ts';
import type { DocumentText } from './open-document.ts';
import { namesOf } from './symbol-matches.ts';

/** Position of a match in the name of a definition: the whole name, its start, or another part. */
export type Grade = 'whole' | 'start' | 'part';

/** A definition under a matching name. */
export interface DefinitionMatch {
  readonly grade: Grade;
  readonly symbol: Definition;
  /**
   * True if the search is case-insensitive and the name is not in lower case, in which such searches are usually
   * typed.
   */
  readonly inOtherCase: boolean;
}

/** Maximum number of matching names examined per document. */
const maxNames = 32;

/**
 * Returns true if the index contains the definitions of the document. Its lines need no `looksLikeDefinition` then.
 */
export function hasSymbols({ live: { symbols }, document }: DocumentText): boolean {
  return symbols.table.isRead(document);
}

/** Returns the best definition of the document under a matching name. */
export function definitionOf(
  atom: { readonly matcher: Matcher },
  { live, document }: DocumentText,
): DefinitionMatch | undefined {
  const symbols = live.symbols.table;
  const names = namesOf(symbols, document);
  if (names === undefined) return undefined;
  let best: { grade: Grade; at: number } | undefined;
  for (let from = 0, count = 0; count < maxNames && from < names.length(); count++) {
    const span = atom.matcher.first(names, from);
    if (span === undefined) break;
    const start = names.startOfLine(span.start);
    const end = names.endOfLine(span.end);
    const grade = span.start > start ? 'part' : span.end < end ? 'start' : 'whole';
    if (best === undefined || gradeOrder[grade] > gradeOrder[best.grade]) best = { grade, at: start };
    if (grade === 'whole') break;
    from = end + 1;
  }
  if (best === undefined) return undefined;
  const symbol = symbols.at(document, names.countLines(0, best.at));
  const anyCase = atom.matcher.needles.some((needle) => needle.anyCase);
  return { grade: best.grade, symbol, inOtherCase: anyCase && symbol.name !== symbol.name.toLowerCase() };
}

const gradeOrder: Readonly<Record<Grade, number>> = { whole: 2, start: 1, part: 0 };
