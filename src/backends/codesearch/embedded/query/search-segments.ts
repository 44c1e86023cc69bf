import type { FileMatch, SearchRequest, SearchResult } from '../../port.ts';
import { type ShownBudget, shownBudget, withinBudget } from '../../shown-budget.ts';
import { countBits } from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { shownBranch } from './branch-scope.ts';
import { type CompiledQuery, shownAtoms } from './compile-query.ts';
import { openDocument } from './document-matches.ts';
import { type Checkpoint, findHits, type ScoredHit, scoreHit } from './find-hits.ts';
import { linesOf } from './line-matches.ts';
import { MOST_WINDOWS, type Part, theWhole } from './part.ts';
import type { TextArena } from './scan/text-arena.ts';
import { reasonsOf } from './score-document.ts';

export type Page = Pick<SearchRequest, 'limit' | 'offset' | 'matchesPerFile' | 'contextLines'>;

/** What one thread found: the files that may come on the page, in order, and what tells how far it looked. */
export interface FoundPart {
  readonly files: readonly PlacedFile[];
  /** Hits of all parts in windows that come before the page altogether. */
  readonly before: number;
  /** Hits of each window that was looked at to its end, or begun when the deadline came. */
  readonly hitsOfWindow: readonly number[];
  readonly more: boolean;
  readonly late: boolean;
  readonly candidates: number;
  readonly scanned: number;
  /** The same where two threads saw the same segments. */
  readonly seen: string;
  readonly incomplete?: 'damaged';
}

export interface PlacedFile {
  readonly window: number;
  readonly file: FileMatch;
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
  const found = searchPart(query, segments, page, checkpoint, arena, theWhole());
  return joinParts([found], page, performance.now() - started);
}

/** The same of some of the shards: its page is cut from the files of all parts. */
export function searchPart(
  query: CompiledQuery,
  segments: readonly LiveSegment[],
  page: Page,
  checkpoint: Checkpoint,
  arena: TextArena,
  part: Part,
): FoundPart {
  const atoms = shownAtoms(query);
  const from = page.offset ?? 0;
  const to = from + page.limit;
  const { hits, windows, more, late, candidates, scanned } = findHits(
    { query, atoms, checkpoint, arena, from, to },
    segments,
    part,
  );
  // Only then is it known what the others have before the page.
  let ranLate = (from > 0 && part.finish(checkpoint)) || late;
  const { first, before } = firstWindow(part, from, windows);
  const wanted: ScoredHit[] = [];
  for (const hit of hits) {
    if (hit.window < first) continue;
    if (hit.score === undefined && checkpoint()) {
      ranLate = true;
      break;
    }
    wanted.push(scoreHit(hit, atoms, arena));
  }
  wanted.sort(byWindowThenScore);
  const files: PlacedFile[] = [];
  let budget = shownBudget();
  // What other parts found can only come before these, so that all that precede a page may be on it.
  for (const hit of wanted.slice(part.of === 1 ? from - before : 0, to - before)) {
    if (checkpoint()) ranLate = true;
    // Those up to here may come before the page, and take nothing from what it shows.
    if (files.length === from - before) budget = shownBudget();
    files.push({ window: hit.window, file: fileMatch(query, hit, page, { arena, budget, late: ranLate }) });
  }
  const hitsOfWindow = Array.from({ length: late ? windows + 1 : windows }, () => 0);
  for (const { window } of hits) hitsOfWindow[window]! += 1;
  return { files, before, hitsOfWindow, more, late: ranLate, candidates, scanned, seen: seenIn(segments) };
}

/** The window that the page begins in: what comes before it is counted, and neither scored nor put in order. */
function firstWindow(part: Part, from: number, windows: number): { first: number; before: number } {
  let before = 0;
  for (let first = 0; first < Math.min(windows, MOST_WINDOWS); first++) {
    const next = part.hitsBefore(first + 1);
    if (next > from) return { first, before };
    before = next;
  }
  return { first: Math.min(windows, MOST_WINDOWS), before };
}

/** One page of what the parts found. Parts of more than one have looked at all files before the page, too. */
export function joinParts(parts: readonly FoundPart[], page: Page, milliseconds: number): SearchResult {
  const offset = page.offset ?? 0;
  const end = offset + page.limit;
  const late = parts.some((part) => part.late);
  const { windows, matched, more } = late ? everything(parts) : windowsWanted(parts, end);
  const placed = parts.flatMap((part) => part.files).filter(({ window }) => window < windows);
  if (parts.length > 1) placed.sort(byPlace);
  const before = Math.max(...parts.map((part) => part.before));
  const files = placed.slice(parts.length > 1 ? offset - before : 0).slice(0, page.limit);
  const damaged = parts.some((part) => part.incomplete === 'damaged');
  const incomplete = damaged ? 'damaged' : late ? 'deadline' : more ? 'limit' : undefined;
  const hasNext = matched > end || (more && !late);
  return {
    files: withinBudget(files.map(({ file }) => file)),
    stats: {
      candidates: parts.reduce((sum, part) => sum + part.candidates, 0),
      scanned: parts.reduce((sum, part) => sum + part.scanned, 0),
      matched,
      milliseconds,
    },
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(hasNext && files.length > 0 ? { nextOffset: offset + files.length } : {}),
  };
}

interface Wanted {
  readonly windows: number;
  readonly matched: number;
  readonly more: boolean;
}

/** The first windows that hold more than the page needs; what a part found behind them was not asked for. */
function windowsWanted(parts: readonly FoundPart[], end: number): Wanted {
  const most = Math.max(...parts.map(({ hitsOfWindow }) => hitsOfWindow.length));
  let matched = 0;
  for (let window = 0; window < most; window++) {
    matched += parts.reduce((sum, { hitsOfWindow }) => sum + (hitsOfWindow[window] ?? 0), 0);
    const more = parts.some((part) => part.more || part.hitsOfWindow.length > window + 1);
    if (matched > end) return { windows: window + 1, matched, more };
  }
  return { windows: most, matched, more: parts.some((part) => part.more) };
}

function everything(parts: readonly FoundPart[]): Wanted {
  const matched = parts.reduce(
    (sum, { hitsOfWindow }) => sum + hitsOfWindow.reduce((hits, more) => hits + more, 0),
    0,
  );
  return { windows: Number.POSITIVE_INFINITY, matched, more: true };
}

/** Generations of a repository differ in their commit, or in how many documents their segments hold and answer from. */
function seenIn(segments: readonly LiveSegment[]): string {
  return segments
    .map(({ repositoryId, commit, segment, documentsOfAll }) =>
      [repositoryId, commit, segment.documents.count, segment.units.count, countBits(documentsOfAll)].join(),
    )
    .join(';');
}

function byWindowThenScore(a: ScoredHit, b: ScoredHit): number {
  return (
    a.window - b.window ||
    b.score.score - a.score.score ||
    compare(a.path, b.path) ||
    compare(a.live.repositoryId, b.live.repositoryId)
  );
}

function byPlace(a: PlacedFile, b: PlacedFile): number {
  return (
    a.window - b.window ||
    b.file.score - a.file.score ||
    compare(a.file.path, b.file.path) ||
    compare(a.file.repository, b.file.repository)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface Showing {
  readonly arena: TextArena;
  readonly budget: ShownBudget;
  /** The deadline has passed: what was found is named, since to look for its lines may take as long again. */
  readonly late: boolean;
}

function fileMatch(
  query: CompiledQuery,
  hit: ScoredHit,
  page: Page,
  { arena, budget, late }: Showing,
): FileMatch {
  const { live, document } = hit;
  const { name: branch, commit } = shownBranch(query, live, document);
  const shown = { most: page.matchesPerFile, context: page.contextLines, budget };
  return {
    repository: live.repositoryId,
    branch,
    commit,
    path: hit.path,
    language: live.segment.documents.language(document),
    score: hit.score.score,
    reasons: reasonsOf(hit.score),
    ...(late
      ? { matches: [], moreMatches: 0 }
      : linesOf(shownAtoms(query), openDocument(live, document, hit.units, arena), shown)),
  };
}
