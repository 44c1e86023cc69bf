import { nextBit } from '../format/bits.ts';
import { RANKS } from '../format/static-rank.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { type Narrowed, narrow } from './candidates.ts';
import type { CompiledQuery, ShownAtoms } from './compile-query.ts';
import { documentMatches } from './document-matches.ts';
import { type DocumentReader, documentReader } from './open-document.ts';
import type { TextArena } from './scan/text-arena.ts';
import { type DocumentScore, scoreDocument } from './score-document.ts';

/**
 * Files come in windows: so many units are read in static order, and what matched is put in order by its score. A page
 * that windows before it fill needs nothing read behind it, and the order is the same whatever the page size.
 */
const UNITS_OF_WINDOW = 1000;
/** What stands in nearly every file need not be compared with so many others. */
const FILES_OF_WINDOW = 200;
/** Of the files of the first window more lines are looked at than of the many that a common word finds. */
const LINES = { thorough: 24, hurried: 4 };

/** Called between documents: true when the deadline has passed or the caller is gone. */
export type Checkpoint = () => boolean;

/** What a search runs with: who stops it, and the memory that it reads text into. */
export interface SearchRun {
  readonly checkpoint: Checkpoint;
  readonly arena: TextArena;
}

/** A file that matches. */
export interface Hit {
  readonly live: LiveSegment;
  readonly document: number;
  readonly narrowed: Narrowed;
  readonly window: number;
  readonly path: string;
  readonly score: DocumentScore;
}

export interface Found {
  /** Of the windows that the page may lie in. */
  hits: Hit[];
  /** Hits of the windows before those: counted, and neither scored nor put in order. */
  before: number;
  matched: number;
  /** True when candidates were left behind the windows that were looked at. */
  more: boolean;
  late: boolean;
  candidates: number;
  scanned: number;
}

const NOTHING: Omit<Found, 'hits'> = {
  before: 0,
  matched: 0,
  more: false,
  late: false,
  candidates: 0,
  scanned: 0,
};

export interface Search {
  readonly query: CompiledQuery;
  readonly atoms: ShownAtoms;
  /** The page, in hits: from the first up to `to`. */
  readonly from: number;
  readonly to: number;
}

/** Looks through windows until they hold more hits than the page needs. */
export function findHits(search: Search, segments: readonly LiveSegment[], run: SearchRun): Found {
  const found: Found = { ...NOTHING, hits: [] };
  const lookAt = looking(search, documentReader(run.arena), found);
  const narrowed = new Map<LiveSegment, Narrowed>();
  for (const { live, from, to } of inStaticOrder(segments)) {
    if (run.checkpoint()) return { ...found, late: true, more: true };
    const left = narrowed.get(live) ?? narrow(search.query, live);
    narrowed.set(live, left);
    for (
      let document = nextBit(left.possible, from, to);
      document < to;
      document = nextBit(left.possible, document + 1, to)
    ) {
      if (run.checkpoint()) return { ...found, late: true, more: true };
      if (!lookAt(live, document, left)) return { ...found, more: true };
    }
  }
  return found;
}

/** Looks at one document after the other; says false, and does not look, when the windows before it hold enough. */
function looking(
  { query, atoms, from, to }: Search,
  reader: DocumentReader,
  found: Found,
): (live: LiveSegment, document: number, narrowed: Narrowed) => boolean {
  let window = 0;
  let read = 0;
  let files = 0;
  return (live, document, narrowed) => {
    if (read >= UNITS_OF_WINDOW || files >= FILES_OF_WINDOW) {
      if (found.matched > to) return false;
      if (found.matched <= from) passOver(found);
      window++;
      read = 0;
      files = 0;
    }
    const text = reader.open(live, document, narrowed);
    found.candidates++;
    const matches = documentMatches(query, text);
    // Before a score reads more: windows must end at the same file whether files are scored or counted.
    if (text.unitsRead > 0) found.scanned++;
    read += Math.max(1, text.unitsRead);
    if (!matches) return true;
    // No window holds more files: one that ends before the page begins is counted alone.
    if (found.before + FILES_OF_WINDOW > from) {
      const lines = window === 0 ? LINES.thorough : LINES.hurried;
      const path = live.path(document);
      const score = scoreDocument(atoms, text, path, lines);
      found.hits.push({ live, document, narrowed, window, path, score });
    }
    files++;
    found.matched++;
    return true;
  };
}

/** The page begins behind the windows so far. */
function passOver(found: Found): void {
  found.before = found.matched;
  found.hits = [];
}

/** All source of all segments first, then tests, and so on: what stops early has seen the best. */
function* inStaticOrder(
  segments: readonly LiveSegment[],
): Generator<{ live: LiveSegment; from: number; to: number }> {
  for (let rank = 0; rank < RANKS; rank++) {
    for (const live of segments) {
      const { rankStarts } = live.segment.documents;
      const from = rankStarts[rank]!;
      const to = rankStarts[rank + 1]!;
      if (from < to) yield { live, from, to };
    }
  }
}
