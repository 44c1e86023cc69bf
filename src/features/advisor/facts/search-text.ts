import type { SearchResult } from '../../../backends/codesearch/port.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Inquiry } from './inquiry.ts';

/**
 * Limits of a search in milliseconds: its processor time, and its time on the clock. The second one is wide, because a
 * search takes longer on a busy machine.
 */
const limits = { processorMs: 1500, deadlineMs: 20_000 } as const;

export interface TextSearch {
  readonly text: string;
  readonly caseSensitive: boolean;
  readonly field: 'content' | 'path' | 'any';
  readonly repositories: readonly SearchableRepository[];
  readonly matchesPerFile: number;
  readonly contextLines: number;
  /** Maximum number of files. Default: 20. */
  readonly limit?: number;
}

/**
 * Searches for a text as written. Returns `undefined` if the engine is too busy: these searches
 * complete an answer, which is worth giving without them.
 */
export async function searchText(
  { deps, scope, signal }: Inquiry,
  { text, caseSensitive, field, ...rest }: TextSearch,
): Promise<SearchResult | undefined> {
  const query = { kind: 'literal', text, caseSensitive, field } as const;
  try {
    return await deps.codeSearch.search(scope, { query, limit: 20, ...rest, ...limits }, signal);
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}
