import { matchesBranchGlob, type Query } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { listed } from '../../foundation/kernel/text/listed.ts';
import { listSearchableRepositories, type SearchableRepository } from '../repositories/repository-store.ts';
import { branchTermsOf } from './query/filter-terms.ts';
import { possibleRepositories } from './query/possible-repositories.ts';
import { queryError } from './query/query-error.ts';

/** Maximum number of branches that an error lists. */
const maxListed = 5;

/**
 * Refuses a branch that no searched repository has indexed: an empty result would suggest that the branch has no
 * match.
 * @param asked the query, and the text from which it was parsed
 * @throws InvalidInput with the column and a few indexed branches.
 */
export async function checkBranches(
  queries: Queries,
  scope: OrgScope,
  { text, query }: { readonly text: string; readonly query: Query },
  repositories: readonly Pick<SearchableRepository, 'id'>[],
): Promise<void> {
  const terms = branchTermsOf(text);
  if (terms.length === 0) return;
  const searched = new Set(repositories.map(({ id }) => id));
  const all = await listSearchableRepositories(queries, scope);
  const inRange = possibleRepositories(
    query,
    all.filter(({ id }) => searched.has(id)),
  );
  if (inRange.length === 0) return;
  const unknown = terms.find((term) => !inRange.some((each) => hasBranch(each, term.text)));
  if (unknown === undefined) return;
  const names = [
    ...new Set(inRange.flatMap(({ indexedBranches }) => indexedBranches.map(({ name }) => name))),
  ];
  throw queryError(
    unknown.at,
    `none of the searched repositories has an indexed branch \`${unknown.text}\`; indexed branches: ${listed(names, maxListed)}.`,
  );
}

function hasBranch({ indexedBranches }: SearchableRepository, pattern: string): boolean {
  return pattern === 'HEAD' || indexedBranches.some(({ name }) => matchesBranchGlob(pattern, name));
}
