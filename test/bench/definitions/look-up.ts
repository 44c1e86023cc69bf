import type { CodeSearch, Query } from '../../../src/backends/codesearch/port.ts';
import { benchScope } from '../search/embedded.ts';

/** Files that match a name as people type it, in the order of an engine. */
export type LookUp = (name: string) => Promise<readonly string[]>;

const PAGE = 1000;
const forever = new AbortController().signal;

/** Smart case, in text or path, as a bare word of the query language is. */
export function embeddedLookUp(search: CodeSearch): LookUp {
  return async (name) => {
    const query: Query = { kind: 'literal', text: name, caseSensitive: /\p{Lu}/u.test(name), field: 'any' };
    const request = { query, limit: PAGE, matchesPerFile: 1, contextLines: 0, deadlineMs: 60_000 };
    const { files } = await search.search(benchScope, request, forever);
    return files.map((file) => `${file.repository}/${file.path}`);
  };
}

/** How often the defining file comes first or among the first five, and the mean of one over its rank. */
export interface Ranking {
  readonly first: number;
  readonly five: number;
  readonly reciprocal: number;
}

/** `ranks` are 1-based; 0 where the file was not found. */
export function rankingOf(ranks: readonly number[]): Ranking {
  const share = (holds: (rank: number) => boolean): number => ranks.filter(holds).length / ranks.length;
  return {
    first: share((rank) => rank === 1),
    five: share((rank) => rank >= 1 && rank <= 5),
    reciprocal: ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length,
  };
}
