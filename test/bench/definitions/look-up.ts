import type { CodeSearch, Query } from '../../../src/backends/codesearch/port.ts';
import { benchScope } from '../search/embedded.ts';

/** Returns the files that match a name as people type it, in the order of an engine. */
export type LookUp = (name: string) => Promise<readonly string[]>;

const pageSize = 1000;
const neverAborted = new AbortController().signal;

/** Searches like a bare word of the query language: with smart case, in text and path. */
export function embeddedLookUp(search: CodeSearch): LookUp {
  return async (name) => {
    const query: Query = { kind: 'literal', text: name, caseSensitive: /\p{Lu}/u.test(name), field: 'any' };
    const request = { query, limit: pageSize, matchesPerFile: 1, contextLines: 0, deadlineMs: 60_000 };
    const { files } = await search.search(benchScope, request, neverAborted);
    return files.map((file) => `${file.repository}/${file.path}`);
  };
}

/** Shares of look-ups whose defining file is first or among the first five, and the mean reciprocal rank. */
export interface Ranking {
  readonly first: number;
  readonly five: number;
  readonly reciprocal: number;
}

/** @param ranks 1-based; 0 if the file was not found */
export function rankingOf(ranks: readonly number[]): Ranking {
  const share = (holds: (rank: number) => boolean): number => ranks.filter(holds).length / ranks.length;
  return {
    first: share((rank) => rank === 1),
    five: share((rank) => rank >= 1 && rank <= 5),
    reciprocal: ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length,
  };
}
