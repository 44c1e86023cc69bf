import { compareText } from '../../../../foundation/kernel/text/compare-text.ts';
import { limitMatches, type MatchBudget, matchBudget } from '../../match-budget.ts';
import type { FileMatch, Incomplete, SearchRequest, SearchResult } from '../../port.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { reportedBranch } from './branch-scope.ts';
import { type CompiledQuery, type PositiveAtoms, positiveAtoms } from './compile-query.ts';
import { type Found, findHits, type Hit, type SearchRun } from './find-hits.ts';
import { matchingLines } from './line-matches.ts';
import { type DocumentReader, documentReader } from './open-document.ts';
import { reasonsOf } from './score-document.ts';

export type Page = Pick<
  SearchRequest,
  'limit' | 'offset' | 'matchesPerFile' | 'skipMatches' | 'contextLines'
>;

/** Runs a query over segments, which must be in a fixed order, and returns one page of the result. */
export function searchSegments(
  query: CompiledQuery,
  segments: readonly LiveSegment[],
  page: Page,
  run: SearchRun,
): SearchResult {
  const started = performance.now();
  const atoms = positiveAtoms(query);
  const from = page.offset ?? 0;
  const to = from + page.limit;
  const found = findHits({ query, atoms, from, to }, segments, run);
  const { files, timedOut } = pageFiles(query, atoms, found, page, run);
  const { matched, more } = found;
  const incomplete = timedOut ? 'deadline' : more ? 'limit' : lacksDefinitions(query, segments);
  const hasNext = matched > to || (more && !timedOut);
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

/** Returns why a complete search may still lack files: definitions that the query asks for are not read yet. */
export function lacksDefinitions(
  query: CompiledQuery,
  segments: readonly LiveSegment[],
): Incomplete | undefined {
  return asksForSymbols(query) && segments.some((live) => live.lacksDefinitions) ? 'definitions' : undefined;
}

function asksForSymbols(query: CompiledQuery): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.some(asksForSymbols);
    case 'not':
      return asksForSymbols(query.operand);
    default:
      return query.kind === 'symbol';
  }
}

/**
 * Returns the files of the page, in the order of the hits. `timedOut` is true if the deadline passed here or before.
 */
function pageFiles(
  query: CompiledQuery,
  atoms: PositiveAtoms,
  { hits, before, timedOut }: Found,
  page: Page,
  { shouldStop, arena }: SearchRun,
): { readonly files: readonly FileMatch[]; readonly timedOut: boolean } {
  const context: PageContext = {
    query,
    atoms,
    page,
    reader: documentReader(arena),
    budget: matchBudget(),
    timedOut,
  };
  const first = (page.offset ?? 0) - before;
  const pageHits = hits.toSorted(byWindowThenScore).slice(first, first + page.limit);
  const files = pageHits.map((hit) => {
    context.timedOut ||= shouldStop();
    return fileMatch(hit, context);
  });
  return { files: limitMatches(files), timedOut: context.timedOut };
}

function byWindowThenScore(a: Hit, b: Hit): number {
  return (
    a.window - b.window ||
    b.score.score - a.score.score ||
    compareText(a.path, b.path) ||
    compareText(a.live.repositoryId, b.live.repositoryId)
  );
}

interface PageContext {
  readonly query: CompiledQuery;
  readonly atoms: PositiveAtoms;
  readonly page: Page;
  readonly reader: DocumentReader;
  readonly budget: MatchBudget;
  /**
   * True if the deadline has passed. Files are then returned without their lines, since reading these may take as
   * long again.
   */
  timedOut: boolean;
}

function fileMatch({ live, document, narrowed, path, score }: Hit, context: PageContext): FileMatch {
  const { query, atoms, page, reader, budget, timedOut } = context;
  const { name: branch, commit } = reportedBranch(query, live, document);
  const limits = {
    skip: page.skipMatches ?? 0,
    max: page.matchesPerFile,
    context: page.contextLines,
    budget,
  };
  return {
    repository: live.repositoryId,
    branch,
    commit,
    path,
    language: live.segment.documents.language(document),
    score: score.score,
    reasons: reasonsOf(score),
    ...(timedOut
      ? { matches: [], moreMatches: 0 }
      : matchingLines(atoms, reader.openAlone(live, document, narrowed), limits)),
  };
}
