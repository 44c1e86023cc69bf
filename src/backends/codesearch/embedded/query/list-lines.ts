import { type FileMatch, type Incomplete, maxListed, type SearchResult } from '../../port.ts';
import { eachBit, hasBit, nextBit } from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { eachLineOfWord } from '../words/words-file.ts';
import { reportedBranch } from './branch-scope.ts';
import { narrow } from './candidates.ts';
import { type CompiledQuery, positiveAtoms } from './compile-query.ts';
import { documentMatches } from './document-matches.ts';
import type { SearchRun } from './find-hits.ts';
import { matchingLineNumbers } from './line-matches.ts';
import { documentReader } from './open-document.ts';
import { lacksDefinitions, type Page } from './search-segments.ts';
import { symbolDocuments, symbolsIn } from './symbol-matches.ts';

/** Runs a query over segments and returns the numbers of all matching lines, unranked. */
export function listLines(
  query: CompiledQuery,
  segments: readonly LiveSegment[],
  { limit }: Page,
  run: SearchRun,
): SearchResult {
  const started = performance.now();
  const atoms = positiveAtoms(query);
  const reader = documentReader(run.arena);
  const files: FileMatch[] = [];
  const counts = { candidates: 0, scanned: 0, lines: 0 };
  const list: List = (live, document, lines) => {
    if (files.length >= limit || counts.lines + lines.length > maxListed.lines) return false;
    counts.lines += lines.length;
    files.push(listedFile(query, live, document, lines));
    return true;
  };
  const search = (): Incomplete | undefined => {
    for (const live of segments) {
      if (run.shouldStop()) return 'deadline';
      const { documents } = live.segment;
      const listed = listTables(query, live, list);
      if (listed === 'limit') return 'limit';
      if (listed !== 'unknown') continue;
      const narrowed = narrow(query, live);
      const next = (from: number): number => nextBit(narrowed.possible, from, documents.count);
      for (let document = next(0); document < documents.count; document = next(document + 1)) {
        if (run.shouldStop()) return 'deadline';
        const text = reader.open(live, document, narrowed);
        counts.candidates++;
        const matches = query.kind === 'content' || documentMatches(query, text);
        const lines = matches ? matchingLineNumbers(atoms, text) : [];
        if (text.unitsRead > 0) counts.scanned++;
        if (lines.length > 0 && !list(live, document, lines)) return 'limit';
      }
    }
    return lacksDefinitions(query, segments);
  };
  const incomplete = search();
  const { candidates, scanned } = counts;
  const milliseconds = performance.now() - started;
  return {
    files,
    stats: { candidates, scanned, matched: files.length, milliseconds },
    ...(incomplete === undefined ? {} : { incomplete }),
  };
}

/** Shared by all files, so that the answer of a thread has its lists only once. */
const unranked = { score: 0, reasons: [], matches: [], moreMatches: 0 } as const;

/** Adds a document with its lines. Returns false if a limit is reached. */
type List = (live: LiveSegment, document: number, lines: readonly number[]) => boolean;

/** Lists the lines of a query for a whole word or for definitions from the tables of a segment, if they tell them. */
function listTables(query: CompiledQuery, live: LiveSegment, list: List): 'listed' | 'limit' | 'unknown' {
  let fits = true;
  const add = (document: number, lines: readonly number[]): boolean => {
    if (hasBit(live.documents, document)) fits = list(live, document, lines);
    return fits;
  };
  if (query.kind === 'symbol') {
    for (const document of eachBit(symbolDocuments(live, query), 0, live.segment.documents.count)) {
      const lines = new Set(symbolsIn(live, document, query).map(({ line }) => line));
      if (!add(document, [...lines])) break;
    }
  } else {
    const word = query.kind === 'content' ? query.word : undefined;
    if (word === undefined || !eachLineOfWord(live.segment.file, word, add)) return 'unknown';
  }
  return fits ? 'listed' : 'limit';
}

function listedFile(
  query: CompiledQuery,
  live: LiveSegment,
  document: number,
  lines: readonly number[],
): FileMatch {
  // Without the name of a branch, a file is on the default branch.
  const { name: branch, commit } =
    query.kind === 'content'
      ? { name: live.branch, commit: live.commit }
      : reportedBranch(query, live, document);
  const language = live.segment.documents.language(document);
  const path = live.path(document);
  return { repository: live.repositoryId, branch, commit, path, language, ...unranked, lines };
}
