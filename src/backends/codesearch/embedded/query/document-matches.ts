import { type Bits, hasBit } from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { isOn } from './branch-scope.ts';
import type { UnitsByAtom } from './candidates.ts';
import type { CompiledQuery, ContentAtom } from './compile-query.ts';
import type { TextArena } from './scan/text-arena.ts';
import { type SearchableText, searchablePath, searchableText } from './searchable-text.ts';
import { definesMatch } from './symbol-matches.ts';

/** One document of a segment while a query looks at it: units are read once, whatever asks for them. */
export interface DocumentText {
  readonly document: number;
  readonly live: LiveSegment;
  /** The units that may hold a match of the atom, in order. */
  unitsOf(atom: ContentAtom): readonly number[];
  unit(unit: number): SearchableText;
  unitsRead(): number;
}

/** `arena` is memory for the units; what was read there is gone when the next document is opened with it. */
export function openDocument(
  live: LiveSegment,
  document: number,
  units: UnitsByAtom,
  arena: TextArena,
): DocumentText {
  const { segment } = live;
  let used = 0;
  const from = segment.documents.firstUnit[document]!;
  const to = segment.documents.firstUnit[document + 1]!;
  const read: (SearchableText | undefined)[] = [];
  let unitsRead = 0;
  return {
    document,
    live,
    unitsOf: (atom) => unitsBetween(units.get(atom), from, to),
    unit: (unit) => {
      const known = read[unit - from];
      if (known !== undefined) return known;
      const bytes = segment.readUnit(unit, arena.memory.subarray(used));
      used += bytes.length;
      unitsRead++;
      const text = searchableText(bytes, segment.units.flags[unit]!, arena);
      read[unit - from] = text;
      return text;
    },
    unitsRead: () => unitsRead,
  };
}

function unitsBetween(units: Bits | undefined, from: number, to: number): readonly number[] {
  const found: number[] = [];
  for (let unit = from; unit < to; unit++) {
    if (units === undefined || hasBit(units, unit)) found.push(unit);
  }
  return found;
}

/** Whether the query holds for the document, by its bytes. */
export function documentMatches(query: CompiledQuery, text: DocumentText): boolean {
  const { documents } = text.live.segment;
  switch (query.kind) {
    case 'and':
      return query.operands.every((operand) => documentMatches(operand, text));
    case 'or':
      return query.operands.some((operand) => documentMatches(operand, text));
    case 'not':
      return !documentMatches(query.operand, text);
    case 'content':
      return contentMatches(query, text);
    case 'path':
      return query.matcher.first(searchablePath(text.live.path(text.document)), 0) !== undefined;
    case 'symbol': {
      const { symbols } = text.live.segment;
      return symbols !== undefined && definesMatch(symbols, text.document, query);
    }
    case 'repository':
      return text.live.repositoryName.toLowerCase().includes(query.text);
    case 'branch':
      return isOn(query, text.live, text.document);
    case 'language':
      return documents.language(text.document).toLowerCase() === query.text;
  }
}

function contentMatches(atom: ContentAtom, text: DocumentText): boolean {
  for (const unit of text.unitsOf(atom)) {
    if (atom.matcher.first(text.unit(unit), 0) !== undefined) return true;
  }
  return false;
}
