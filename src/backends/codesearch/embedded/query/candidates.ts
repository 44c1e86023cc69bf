import {
  andBits,
  type Bits,
  eachBit,
  emptyBits,
  fullBits,
  nextBit,
  notBits,
  orBits,
  setBit,
} from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { documentsInScope, documentsOnNamedBranches } from './branch-scope.ts';
import type { CompiledQuery, ContentAtom, PathAtom } from './compile-query.ts';
import { symbolDocuments } from './symbol-matches.ts';
import { searchablePath } from './text/searchable-text.ts';
import { unitsWith } from './units-with.ts';

/** Bounds of the matching documents: all documents in `certain` match, and none outside `possible` does. */
export interface Candidates {
  readonly possible: Bits;
  readonly certain: Bits;
}

/** The units that may contain a match, by atom; `undefined` means all units. */
export type UnitsByAtom = Map<ContentAtom, Bits | undefined>;

/** The part of a segment that a search must read. */
export interface Narrowed {
  /** The documents that may match. */
  readonly possible: Bits;
  readonly units: UnitsByAtom;
}

/** Narrows a segment to the candidates of a query, using only the tables of the segment. */
export function narrow(query: CompiledQuery, live: LiveSegment): Narrowed {
  const scope = documentsInScope(query, live);
  const units: UnitsByAtom = new Map();
  const { possible } = candidatesOf(query, live, scope, units);
  return { possible: andBits(possible, scope), units };
}

/** Computes the candidates of a query among the documents in `within`, and adds their units to `units`. */
function candidatesOf(query: CompiledQuery, live: LiveSegment, within: Bits, units: UnitsByAtom): Candidates {
  const count = live.segment.documents.count;
  switch (query.kind) {
    case 'and':
      return narrowAll(query.operands, live, within, units);
    case 'or':
      return query.operands
        .map((operand) => candidatesOf(operand, live, within, units))
        .reduce(
          (left, right) => ({
            possible: orBits(left.possible, right.possible),
            certain: orBits(left.certain, right.certain),
          }),
          exactly(emptyBits(count)),
        );
    case 'not': {
      const operand = candidatesOf(query.operand, live, within, units);
      return { possible: notBits(operand.certain, count), certain: notBits(operand.possible, count) };
    }
    case 'content':
      return narrowContent(query, live, units);
    case 'path':
      return exactly(pathsWith(query, live, within));
    case 'symbol':
      return exactly(symbolDocuments(live, query));
    case 'repository':
      return exactly(
        live.repositoryName.toLowerCase().includes(query.text) ? fullBits(count) : emptyBits(count),
      );
    case 'branch':
      return exactly(documentsOnNamedBranches(query, live));
    case 'language':
      return exactly(inLanguage(query.text, live, within));
  }
}

/** Relative costs by kind. Cheap operands are evaluated first, which reduces the work of the others. */
const cost = {
  repository: 0,
  branch: 0,
  language: 1,
  content: 2,
  symbol: 2,
  and: 3,
  or: 3,
  not: 3,
  path: 4,
} as const;

function narrowAll(
  operands: readonly CompiledQuery[],
  live: LiveSegment,
  within: Bits,
  units: UnitsByAtom,
): Candidates {
  let possible = within;
  let certain = within;
  for (const operand of operands.toSorted((a, b) => cost[a.kind] - cost[b.kind])) {
    const part = candidatesOf(operand, live, possible, units);
    possible = andBits(possible, part.possible);
    certain = andBits(certain, part.certain);
  }
  return { possible, certain };
}

function narrowContent(atom: ContentAtom, live: LiveSegment, units: UnitsByAtom): Candidates {
  const { segment } = live;
  if (!units.has(atom)) units.set(atom, unitsWith(segment, atom.matcher.requirement));
  const found = units.get(atom);
  const certain = emptyBits(segment.documents.count);
  if (found === undefined) return { possible: fullBits(segment.documents.count), certain };
  return { possible: documentsOf(found, live), certain };
}

function documentsOf(
  units: Bits,
  {
    segment: {
      documents,
      units: { count },
    },
  }: LiveSegment,
): Bits {
  const found = emptyBits(documents.count);
  for (let unit = nextBit(units, 0, count); unit < count; ) {
    const document = documents.ofUnit[unit]!;
    setBit(found, document);
    unit = nextBit(units, documents.firstUnit[document + 1]!, count);
  }
  return found;
}

function pathsWith(atom: PathAtom, live: LiveSegment, within: Bits): Bits {
  const { documents } = live.segment;
  const found = emptyBits(documents.count);
  for (const document of eachBit(within, 0, documents.count)) {
    if (atom.matcher.holds(searchablePath(live.path(document)))) setBit(found, document);
  }
  return found;
}

function inLanguage(name: string, live: LiveSegment, within: Bits): Bits {
  const { documents } = live.segment;
  const found = emptyBits(documents.count);
  for (const document of eachBit(within, 0, documents.count)) {
    if (documents.language(document).toLowerCase() === name) setBit(found, document);
  }
  return found;
}

function exactly(documents: Bits): Candidates {
  return { possible: documents, certain: documents };
}
