import { type Definition, LineCollector, type SearchResult } from '../../port.ts';
import { eachBit, emptyBits, hasBit, nextBit, setBit } from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { eachLineOfWord } from '../words/words-file.ts';
import { reportedBranch } from './branch-scope.ts';
import { type Narrowed, narrow } from './candidates.ts';
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
  const add: Add = (live, document, lines, from, to) => {
    counts.matched++;
    const placeOf = () => ({
      repository: live.repositoryId,
      commit: commitOf(query, live, document),
      path: live.path(document),
    });
    collector.add(lines, placeOf, from, to);
  };
  const isComplete = (): boolean => {
    for (const live of segments) {
      if (run.shouldStop()) return false;
      const others = listTables(query, live, add);
      if (others?.length === 0) continue;
      const { count } = live.segment.documents;
      const all = narrow(query, live);
      const narrowed = others === undefined ? all : onlyIn(others, all, count);
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

/** Adds a document with its lines: all of an array, or those from one place to another. */
type Add = (
  live: LiveSegment,
  document: number,
  lines: ArrayLike<number>,
  from?: number,
  to?: number,
) => void;

/**
 * Lists the lines of a query for a whole word or for definitions from the tables of a segment. Returns the documents
 * whose lines only the text tells; `undefined` if any document may have some.
 */
function listTables(query: CompiledQuery, live: LiveSegment, add: Add): readonly number[] | undefined {
  if (query.kind === 'symbol' && query.name !== undefined) {
    live.symbols.table.eachNaming(query.name, (document, found) => {
      if (hasBit(live.documents, document)) add(live, document, linesOf(found));
    });
    return [];
  }
  if (query.kind === 'symbol') {
    for (const document of eachBit(symbolDocuments(live, query), 0, live.segment.documents.count)) {
      if (!hasBit(live.documents, document)) continue;
      add(live, document, linesOf(symbolsIn(live, document, query)));
    }
    return [];
  }
  const word = query.kind === 'content' ? query.word : undefined;
  if (word === undefined) return undefined;
  return eachLineOfWord(live.segment.file, word, (document, lines, from, to) => {
    if (hasBit(live.documents, document)) add(live, document, lines, from, to);
  });
}

/** Returns a narrowed query for only some documents. */
function onlyIn(documents: readonly number[], narrowed: Narrowed, count: number): Narrowed {
  const possible = emptyBits(count);
  for (const document of documents) if (hasBit(narrowed.possible, document)) setBit(possible, document);
  return { ...narrowed, possible };
}

function linesOf(symbols: readonly Definition[]): readonly number[] {
  return [...new Set(symbols.map(({ line }) => line))];
}

function commitOf(query: CompiledQuery, live: LiveSegment, document: number): string {
  // Without the name of a branch, a file is on the default branch.
  return query.kind === 'content' ? live.commit : reportedBranch(query, live, document).commit;
}
