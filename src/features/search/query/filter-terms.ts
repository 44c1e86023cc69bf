import { isBranchFilter, isFilter, isRepositoryFilter } from './filters.ts';
import { tokenize } from './tokenize.ts';

/** A filter of a query that names a branch or a repository. */
export interface FilterTerm {
  readonly text: string;
  /** 0-based offset in the query. */
  readonly at: number;
}

/** Returns the branches that a query names, with their offsets. `parseQuery` must have accepted the query. */
export function branchTermsOf(query: string): FilterTerm[] {
  return filterTermsOf(query, isBranchFilter);
}

/** Returns the repositories that a query names, with their offsets. `parseQuery` must have accepted the query. */
export function repositoryTermsOf(query: string): FilterTerm[] {
  return filterTermsOf(query, isRepositoryFilter);
}

function filterTermsOf(query: string, isWanted: (filter: string | undefined) => boolean): FilterTerm[] {
  return tokenize(query, isFilter).flatMap((token) =>
    token.kind === 'term' && isWanted(token.filter) ? [{ text: token.value.text, at: token.at }] : [],
  );
}
