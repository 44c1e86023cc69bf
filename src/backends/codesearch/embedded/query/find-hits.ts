import { eachBit } from '../format/bits.ts';
import { RANKS } from '../format/static-rank.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { type Candidates, candidatesOf, type UnitsByAtom } from './candidates.ts';
import type { CompiledQuery, ShownAtoms } from './compile-query.ts';
import { documentMatches, openDocument } from './document-matches.ts';
import type { Part } from './part.ts';
import type { TextArena } from './scan/text-arena.ts';
import { type DocumentScore, scoreDocument } from './score-document.ts';

/**
 * Files come in windows: so many units are read in static order, and what matched is put in order by its score. A page
 * that windows before it fill needs nothing read behind it, and the order is the same whatever the page size.
 */
const UNITS_OF_WINDOW = 1000;
/** What stands in nearly every file need not be compared with so many others. */
const FILES_OF_WINDOW = 400;
/** Of the first matching files more lines are looked at than of the many that a common word finds. */
const THOROUGH_FILES = 200;
const LINES = { thorough: 24, hurried: 4 };
/**
 * Segments are dealt into so many shards, each with its share of every window, so that threads may take some each and
 * the order stays that of one thread alone.
 */
const SHARDS = 4;

/** Called between documents: true when the deadline has passed or the caller is gone. */
export type Checkpoint = () => boolean;

/** A file that matches. Most are never shown, and have no score. */
export interface Hit {
  readonly live: LiveSegment;
  readonly document: number;
  readonly units: UnitsByAtom;
  readonly window: number;
  /** Lines to look at for its score. */
  readonly lines: number;
  readonly score: DocumentScore | undefined;
}

export interface ScoredHit extends Hit {
  readonly score: DocumentScore;
  readonly path: string;
}

export interface Found {
  readonly hits: Hit[];
  /** Windows that were looked at to their end. */
  windows: number;
  /** True when candidates were left behind them. */
  more: boolean;
  late: boolean;
  candidates: number;
  scanned: number;
}

export interface Search {
  readonly query: CompiledQuery;
  readonly atoms: ShownAtoms;
  readonly checkpoint: Checkpoint;
  readonly arena: TextArena;
  /** The page, in hits: from the first up to `to`. */
  readonly from: number;
  readonly to: number;
}

/** Looks through windows until those before hold more hits than the page needs, of all parts. */
export function findHits(search: Search, segments: readonly LiveSegment[], part: Part): Found {
  const found: Found = { hits: [], windows: 0, more: false, late: false, candidates: 0, scanned: 0 };
  const dealt = deal(segments);
  const open = dealt
    .filter((_, index) => index % part.of === part.index)
    .map((shard) =>
      windowsOf(search, shard, { shards: dealt.length, scores: isInFirstWindow(search, part) }, found),
    );
  for (; open.length > 0; found.windows++) {
    const before = found.hits.length;
    for (const shard of open.slice()) {
      const { done, value } = shard.next();
      if (done === true) open.splice(open.indexOf(shard), 1);
      if (value === 'late') {
        part.found(found.windows, found.hits.length - before);
        return { ...found, late: true, more: true };
      }
    }
    part.found(found.windows, found.hits.length - before);
    if (part.hitsBefore(found.windows + 1) > search.to) {
      return { ...found, windows: found.windows + 1, more: open.length > 0 };
    }
  }
  return found;
}

/**
 * A file costs as much to score as to find. Where the page may begin in the first window they are scored while their
 * text is at hand, else once it is known which windows the page lies in.
 */
function isInFirstWindow({ from }: Search, part: Part): boolean {
  return from === 0 || (part.of === 1 && from < FILES_OF_WINDOW);
}

export function scoreHit(hit: Hit, atoms: ShownAtoms, arena: TextArena): ScoredHit {
  const { live, document, units, lines } = hit;
  const score = hit.score ?? scoreDocument(atoms, openDocument(live, document, units, arena), lines);
  return { ...hit, score, path: live.path(document) };
}

/** The same shards for the same segments: the largest first, each to the shard that has least. */
function deal(segments: readonly LiveSegment[]): readonly (readonly LiveSegment[])[] {
  const shards = Array.from({ length: SHARDS }, () => ({ units: 0, places: [] as number[] }));
  const bySize = segments.map((live, place) => ({ place, units: live.segment.units.count }));
  for (const { place, units } of bySize.toSorted((a, b) => b.units - a.units || a.place - b.place)) {
    const least = shards.reduce((best, shard) => (shard.units < best.units ? shard : best));
    least.units += units + 1;
    least.places.push(place);
  }
  const used = shards.filter(({ places }) => places.length > 0);
  return used.map(({ places }) => places.toSorted((a, b) => a - b).map((place) => segments[place]!));
}

/** Adds the hits of one window after the other to `found`; is done with the last one. */
function* windowsOf(
  search: Search,
  segments: readonly LiveSegment[],
  { shards, scores }: { readonly shards: number; readonly scores: boolean },
  found: Found,
): Generator<'window' | 'late', 'late' | undefined> {
  const { query, checkpoint, arena } = search;
  const narrowed = new Map<LiveSegment, { candidates: Candidates; units: UnitsByAtom }>();
  let read = 0;
  let files = 0;
  let hits = 0;
  for (const { live, from, to } of inStaticOrder(segments)) {
    if (checkpoint()) return 'late';
    if (!narrowed.has(live)) {
      const units: UnitsByAtom = new Map();
      narrowed.set(live, { candidates: candidatesOf(query, live, units), units });
    }
    const { candidates, units } = narrowed.get(live)!;
    for (const document of eachBit(candidates.possible, from, to)) {
      if (checkpoint()) return 'late';
      if (read * shards >= UNITS_OF_WINDOW || files * shards >= FILES_OF_WINDOW) {
        yield 'window';
        read = 0;
        files = 0;
      }
      const text = openDocument(live, document, units, arena);
      found.candidates++;
      const matches = documentMatches(query, text);
      // Before a score reads more: windows must end at the same file whether files are scored or counted.
      if (text.unitsRead() > 0) found.scanned++;
      read += Math.max(1, text.unitsRead());
      if (matches) {
        const lines = hits * shards < THOROUGH_FILES ? LINES.thorough : LINES.hurried;
        const score = scores ? scoreDocument(search.atoms, text, lines) : undefined;
        found.hits.push({ live, document, units, window: found.windows, lines, score });
        files++;
        hits++;
      }
    }
  }
  return undefined;
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
