import { isBranchFilter, isFilter } from './filters.ts';
import { tokenize } from './tokenize.ts';

export interface BranchTerm {
  readonly pattern: string;
  /** 0-based offset in the query. */
  readonly at: number;
}

/** The branches that a query names, with the places where it does; of a query that `parseQuery` took. */
export function branchTermsOf(query: string): BranchTerm[] {
  return tokenize(query, isFilter).flatMap((token) =>
    token.kind === 'term' && isBranchFilter(token.filter)
      ? [{ pattern: token.value.text, at: token.at }]
      : [],
  );
}
