import { type Definition, LineCollector, type SearchResult } from '../../port.ts';
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
  const collector = new LineCollector(limit);
  const counts = { candidates: 0, scanned: 0, matched: 0 };
  const add: Add = (live, document, lines) => {
    counts.matched++;
    collector.add(lines, () => ({
      repository: live.repositoryId,
      commit: commitOf(query, live, document),
      path: live.path(document),
    }));
  };
  const isComplete = (): boolean => {
    for (const live of segments) {
      if (run.shouldStop()) return false;
      if (listTables(query, live, add)) continue;
      const { count } = live.segment.documents;
      const narrowed = narrow(query, live);
      const next = (from: number): number => nextBit(narrowed.possible, from, count);
      for (let document = next(0); document < count; document = next(document + 1)) {
        if (run.shouldStop()) return false;
        const text = reader.open(live, document, narrowed);
        counts.candidates++;
        const matches = query.kind === 'content' || documentMatches(query, text);
        const lines = matches ? matchingLineNumbers(atoms, text) : [];
        if (text.unitsRead > 0) counts.scanned++;
        if (lines.length > 0) add(live, document, lines);
      }
    }
    return true;
  };
  const incomplete = isComplete() ? lacksDefinitions(query, segments) : 'deadline';
  return {
    files: [],
    listed: collector.result(),
    stats: { ...counts, milliseconds: performance.now() - started },
    ...(incomplete === undefined ? {} : { incomplete }),
  };
}

/** Adds a document with its lines. */
type Add = (live: LiveSegment, document: number, lines: ArrayLike<number>) => void;

/**
 * Lists the lines of a query for a whole word or for definitions from the tables of a segment. Returns false if they do
 * not tell them.
 */
function listTables(query: CompiledQuery, live: LiveSegment, add: Add): boolean {
  if (query.kind === 'symbol' && query.name !== undefined) {
    live.symbols.table.eachNaming(query.name, (document, found) => {
      if (hasBit(live.documents, document)) add(live, document, linesOf(found));
    });
    return true;
  }
  if (query.kind === 'symbol') {
    for (const document of eachBit(symbolDocuments(live, query), 0, live.segment.documents.count)) {
      if (!hasBit(live.documents, document)) continue;
      add(live, document, linesOf(symbolsIn(live, document, query)));
    }
    return true;
  }
  const word = query.kind === 'content' ? query.word : undefined;
  return (
    word !== undefined &&
    eachLineOfWord(live.segment.file, word, (document, lines) => {
      if (hasBit(live.documents, document)) add(live, document, lines);
    })
  );
}

function linesOf(symbols: readonly Definition[]): readonly number[] {
  return [...new Set(symbols.map(({ line }) => line))];
}

function commitOf(query: CompiledQuery, live: LiveSegment, document: number): string {
  // Without the name of a branch, a file is on the default branch.
  return query.kind === 'content' ? live.commit : reportedBranch(query, live, document).commit;
}
