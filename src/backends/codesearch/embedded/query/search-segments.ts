import type { FileMatch, SearchRequest, SearchResult } from '../../port.ts';
import { eachBit } from '../format/bits.ts';
import { RANKS } from '../format/static-rank.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { type Candidates, candidatesOf, type UnitsByAtom } from './candidates.ts';
import { type CompiledQuery, type ShownAtoms, shownAtoms } from './compile-query.ts';
import { type DocumentText, documentMatches, openDocument } from './document-matches.ts';
import { linesOf } from './line-matches.ts';
import type { TextArena } from './scan/text-arena.ts';
import { type DocumentScore, reasonsOf, scoreDocument } from './score-document.ts';

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

/** Called between documents: true when the deadline has passed. @throws when the caller is gone */
export type Checkpoint = () => boolean;

type Page = Pick<SearchRequest, 'limit' | 'offset' | 'matchesPerFile' | 'contextLines'>;

interface Hit {
  readonly live: LiveSegment;
  readonly document: number;
  readonly units: UnitsByAtom;
  readonly path: string;
  readonly window: number;
  readonly score: DocumentScore;
}

interface Found {
  readonly hits: Hit[];
  candidates: number;
  scanned: number;
  stopped: 'deadline' | 'limit' | undefined;
}

/** Runs a query over segments, which come in a fixed order, and shapes one page of the answer. */
export function searchSegments(
  query: CompiledQuery,
  segments: readonly LiveSegment[],
  page: Page,
  checkpoint: Checkpoint,
  arena: TextArena,
): SearchResult {
  const started = performance.now();
  const atoms = shownAtoms(query);
  const offset = page.offset ?? 0;
  const found = findHits(query, atoms, segments, offset + page.limit, checkpoint, arena);
  found.hits.sort(byWindowThenScore);
  const files: FileMatch[] = [];
  for (const hit of found.hits.slice(offset, offset + page.limit)) {
    if (checkpoint()) found.stopped = 'deadline';
    files.push(fileMatch(atoms, hit, page, arena));
  }
  const more = found.hits.length > offset + page.limit || found.stopped === 'limit';
  return {
    files,
    stats: {
      candidates: found.candidates,
      scanned: found.scanned,
      matched: found.hits.length,
      milliseconds: performance.now() - started,
    },
    ...(found.stopped === undefined ? {} : { incomplete: found.stopped }),
    ...(more && files.length > 0 ? { nextOffset: offset + files.length } : {}),
  };
}

function findHits(
  query: CompiledQuery,
  atoms: ShownAtoms,
  segments: readonly LiveSegment[],
  wanted: number,
  checkpoint: Checkpoint,
  arena: TextArena,
): Found {
  const found: Found = { hits: [], candidates: 0, scanned: 0, stopped: undefined };
  const narrowed = new Map<LiveSegment, { candidates: Candidates; units: UnitsByAtom }>();
  let window = 0;
  let read = 0;
  let before = 0;
  for (const { live, from, to } of inStaticOrder(segments)) {
    if (checkpoint()) return { ...found, stopped: 'deadline' };
    if (!narrowed.has(live)) {
      const units: UnitsByAtom = new Map();
      narrowed.set(live, { candidates: candidatesOf(query, live, units), units });
    }
    const { candidates, units } = narrowed.get(live)!;
    for (const document of eachBit(candidates.possible, from, to)) {
      if (checkpoint()) return { ...found, stopped: 'deadline' };
      if (read >= UNITS_OF_WINDOW || found.hits.length - before >= FILES_OF_WINDOW) {
        if (found.hits.length > wanted) return { ...found, stopped: 'limit' };
        window++;
        read = 0;
        before = found.hits.length;
      }
      const text = openDocument(live, document, units, arena);
      found.candidates++;
      if (documentMatches(query, text))
        found.hits.push({ ...describeHit(atoms, text, found.hits.length), units, window });
      if (text.unitsRead() > 0) found.scanned++;
      read += Math.max(1, text.unitsRead());
    }
  }
  return found;
}

function describeHit(atoms: ShownAtoms, text: DocumentText, before: number): Omit<Hit, 'units' | 'window'> {
  const { live, document } = text;
  const path = live.path(document);
  const lines = before < THOROUGH_FILES ? LINES.thorough : LINES.hurried;
  return { live, document, path, score: scoreDocument(atoms, text, lines) };
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

function byWindowThenScore(a: Hit, b: Hit): number {
  return a.window - b.window || b.score.score - a.score.score || compareHits(a, b);
}

function compareHits(a: Hit, b: Hit): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.live.repositoryId < b.live.repositoryId ? -1 : 1;
}

function fileMatch(atoms: ShownAtoms, hit: Hit, page: Page, arena: TextArena): FileMatch {
  const { live, document } = hit;
  const text = openDocument(live, document, hit.units, arena);
  return {
    repository: live.repositoryId,
    branch: live.branch,
    commit: live.commit,
    path: hit.path,
    language: live.segment.documents.language(document),
    score: hit.score.score,
    reasons: reasonsOf(hit.score),
    ...linesOf(atoms, text, { most: page.matchesPerFile, context: page.contextLines }),
  };
}
