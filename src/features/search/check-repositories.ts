import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { listed } from '../../foundation/kernel/text/listed.ts';
import { closestRepository } from '../repositories/repository-name.ts';
import { listRepositoryNames } from '../repositories/repository-store.ts';
import { type FilterTerm, repositoryTermsOf } from './query/filter-terms.ts';
import { queryError } from './query/query-error.ts';

/** Maximum number of repositories that an error lists. */
const maxListed = 5;

/**
 * Refuses a `repo:` that no repository of the organization matches: an empty result would suggest that the repository
 * has no match. A repository that is not indexed yet counts, so that a search does not fail while it is added.
 * @param text a query that `parseQuery` accepted
 * @throws InvalidInput with the column and the nearest name, or a few names
 */
export async function checkRepositories(
  queries: Queries,
  scope: OrgScope,
  text: string,
  searchable: readonly { readonly name: string }[],
): Promise<void> {
  const terms = repositoryTermsOf(text);
  if (terms.length === 0) return;
  const suspect = unknownTerms(
    terms,
    searchable.map(({ name }) => name),
  );
  if (suspect.length === 0) return;
  const names = await listRepositoryNames(queries, scope);
  const [unknown] = unknownTerms(suspect, names);
  if (unknown === undefined) return;
  throw queryError(
    unknown.at,
    `no repository has a name with \`${unknown.text}\`; ${advice(unknown.text, names)}`,
  );
}

function unknownTerms(terms: readonly FilterTerm[], names: readonly string[]): readonly FilterTerm[] {
  const known = names.map((name) => name.toLowerCase());
  return terms.filter(({ text }) => !known.some((name) => name.includes(text.toLowerCase())));
}

function advice(wanted: string, names: readonly string[]): string {
  const nearest = closestRepository(wanted, names);
  if (nearest !== undefined) return `did you mean \`repo:${nearest}\`?`;
  if (names.length === 0) return 'this organization has no repositories yet.';
  return `repositories: ${listed(names, maxListed)}.`;
}
