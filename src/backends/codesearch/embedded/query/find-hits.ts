import { nextBit } from '../format/bits.ts';
import { fileRanks } from '../format/static-rank.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { type Narrowed, narrow } from './candidates.ts';
import type { CompiledQuery, PositiveAtoms } from './compile-query.ts';
import { documentMatches } from './document-matches.ts';
import { type DocumentReader, documentReader } from './open-document.ts';
import type { TextArena } from './scan/text-arena.ts';
import { type DocumentScore, scoreDocument } from './score-document.ts';

/**
 * Number of units read per window. Files are searched in windows: a window is read in static order, and its matches
 * are then sorted by score. A page needs no window after the one that completes it, and the order of files does not
 * depend on the page size.
 */
const unitsPerWindow = 1000;
/** Maximum number of matching files per window. It limits the work for text that occurs in nearly every file. */
const filesPerWindow = 200;
/**
 * Maximum number of lines scored per file. More are scored in the first window than in later ones, which a common
 * word fills with many files.
 */
const linesPerFile = { firstWindow: 24, laterWindows: 4 };

/**
 * Returns true if the time of the task is used up or the caller is gone. Called between documents. With a share between
 * 0 and 1, that share of the time is meant, so that a first step leaves the rest to later ones.
 */
export type ShouldStop = (share?: number) => boolean;

/** The context of a search: its stop condition, and the memory into which text is read. */
export interface SearchRun {
  readonly shouldStop: ShouldStop;
  readonly arena: TextArena;
}

/** A matching file. */
export interface Hit {
  readonly live: LiveSegment;
  readonly document: number;
  readonly narrowed: Narrowed;
  readonly window: number;
  readonly path: string;
  readonly score: DocumentScore;
}

export interface Found {
  /** Hits of the windows that can contain the page. */
  hits: Hit[];
  /** Number of hits in the windows before those. They are neither scored nor sorted. */
  before: number;
  matched: number;
  /** True if candidates remain after the last window that was read. */
  more: boolean;
  timedOut: boolean;
  candidates: number;
  scanned: number;
}

const noHits: Omit<Found, 'hits'> = {
  before: 0,
  matched: 0,
  more: false,
  timedOut: false,
  candidates: 0,
  scanned: 0,
};

export interface Search {
  readonly query: CompiledQuery;
  readonly atoms: PositiveAtoms;
  /** The page as a range of hits: from `from` up to `to` (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** Reads windows until they contain more hits than the page needs. */
export function findHits(search: Search, segments: readonly LiveSegment[], run: SearchRun): Found {
  const found: Found = { ...noHits, hits: [] };
  const searchDocument = documentSearch(search, documentReader(run.arena), found);
  const narrowed = new Map<LiveSegment, Narrowed>();
  for (const { live, from, to } of rangesInStaticOrder(segments)) {
    if (run.shouldStop()) return { ...found, timedOut: true, more: true };
    const candidates = narrowed.get(live) ?? narrow(search.query, live);
    narrowed.set(live, candidates);
    for (
      let document = nextBit(candidates.possible, from, to);
      document < to;
      document = nextBit(candidates.possible, document + 1, to)
    ) {
      if (run.shouldStop()) return { ...found, timedOut: true, more: true };
      if (!searchDocument(live, document, candidates)) return { ...found, more: true };
    }
  }
  return found;
}

/**
 * Returns a function that searches the next document. It returns false, without searching, if the earlier windows
 * contain enough hits.
 */
function documentSearch(
  { query, atoms, from, to }: Search,
  reader: DocumentReader,
  found: Found,
): (live: LiveSegment, document: number, narrowed: Narrowed) => boolean {
  let window = 0;
  let read = 0;
  let files = 0;
  return (live, document, narrowed) => {
    if (read >= unitsPerWindow || files >= filesPerWindow) {
      if (found.matched > to) return false;
      if (found.matched <= from) dropHits(found);
      window++;
      read = 0;
      files = 0;
    }
    const text = reader.open(live, document, narrowed);
    found.candidates++;
    const matches = documentMatches(query, text);
    // Counted before scoring reads more units: windows must end at the same file whether files are scored or counted.
    if (text.unitsRead > 0) found.scanned++;
    read += Math.max(1, text.unitsRead);
    if (!matches) return true;
    // No window contains more files than this, so a window that ends before the page is only counted.
    if (found.before + filesPerWindow > from) {
      const lines = window === 0 ? linesPerFile.firstWindow : linesPerFile.laterWindows;
      const path = live.path(document);
      const score = scoreDocument(atoms, text, path, lines);
      found.hits.push({ live, document, narrowed, window, path, score });
    }
    files++;
    found.matched++;
    return true;
  };
}

/** Drops the hits so far, since the page begins after their windows. */
function dropHits(found: Found): void {
  found.before = found.matched;
  found.hits = [];
}

/**
 * Yields ranges of documents by static rank over all segments: source files first, then tests, and so on. A search
 * that stops early has then read the best-ranked files.
 */
function* rangesInStaticOrder(
  segments: readonly LiveSegment[],
): Generator<{ live: LiveSegment; from: number; to: number }> {
  for (let rank = 0; rank < fileRanks; rank++) {
    for (const live of segments) {
      const { rankStarts } = live.segment.documents;
      const from = rankStarts[rank]!;
      const to = rankStarts[rank + 1]!;
      if (from < to) yield { live, from, to };
    }
  }
}
