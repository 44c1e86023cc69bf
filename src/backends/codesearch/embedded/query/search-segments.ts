import type { FileMatch, SearchRequest, SearchResult } from '../../port.ts';
import { type ShownBudget, shownBudget, withinBudget } from '../../shown-budget.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { shownBranch } from './branch-scope.ts';
import { type CompiledQuery, type ShownAtoms, shownAtoms } from './compile-query.ts';
import { type Found, findHits, type Hit, type SearchRun } from './find-hits.ts';
import { linesOf } from './line-matches.ts';
import { type DocumentReader, documentReader } from './open-document.ts';
import { reasonsOf } from './score-document.ts';

export type Page = Pick<SearchRequest, 'limit' | 'offset' | 'matchesPerFile' | 'contextLines'>;

/** Runs a query over segments, which come in a fixed order, and shapes one page of the answer. */
export function searchSegments(
  query: CompiledQuery,
  segments: readonly LiveSegment[],
  page: Page,
  run: SearchRun,
): SearchResult {
  const started = performance.now();
  const atoms = shownAtoms(query);
  const from = page.offset ?? 0;
  const to = from + page.limit;
  const found = findHits({ query, atoms, from, to }, segments, run);
  const { files, late } = shownFiles(query, atoms, found, page, run);
  const { matched, more } = found;
  const incomplete = late ? 'deadline' : more ? 'limit' : undefined;
  const hasNext = matched > to || (more && !late);
  return {
    files,
    stats: {
      candidates: found.candidates,
      scanned: found.scanned,
      matched,
      milliseconds: performance.now() - started,
    },
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(hasNext && files.length > 0 ? { nextOffset: from + files.length } : {}),
  };
}

/** The page, cut from the hits in their order. Late when the deadline passed, here or before. */
function shownFiles(
  query: CompiledQuery,
  atoms: ShownAtoms,
  { hits, before, late }: Found,
  page: Page,
  { checkpoint, arena }: SearchRun,
): { readonly files: readonly FileMatch[]; readonly late: boolean } {
  const showing: Showing = {
    query,
    atoms,
    page,
    reader: documentReader(arena),
    budget: shownBudget(),
    late,
  };
  const first = (page.offset ?? 0) - before;
  const shown = hits.toSorted(byWindowThenScore).slice(first, first + page.limit);
  const files = shown.map((hit) => {
    showing.late ||= checkpoint();
    return fileMatch(hit, showing);
  });
  return { files: withinBudget(files), late: showing.late };
}

function byWindowThenScore(a: Hit, b: Hit): number {
  return (
    a.window - b.window ||
    b.score.score - a.score.score ||
    compare(a.path, b.path) ||
    compare(a.live.repositoryId, b.live.repositoryId)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface Showing {
  readonly query: CompiledQuery;
  readonly atoms: ShownAtoms;
  readonly page: Page;
  readonly reader: DocumentReader;
  readonly budget: ShownBudget;
  /** The deadline has passed: what was found is named, since to look for its lines may take as long again. */
  late: boolean;
}

function fileMatch({ live, document, narrowed, path, score }: Hit, showing: Showing): FileMatch {
  const { query, atoms, page, reader, budget, late } = showing;
  const { name: branch, commit } = shownBranch(query, live, document);
  const shown = { most: page.matchesPerFile, context: page.contextLines, budget };
  return {
    repository: live.repositoryId,
    branch,
    commit,
    path,
    language: live.segment.documents.language(document),
    score: score.score,
    reasons: reasonsOf(score),
    ...(late
      ? { matches: [], moreMatches: 0 }
      : linesOf(atoms, reader.openAlone(live, document, narrowed), shown)),
  };
}
