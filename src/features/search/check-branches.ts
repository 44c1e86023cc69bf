import { matchesBranchGlob, type Query } from '../../backends/codesearch/port.ts';
import type { SearchableRepository } from '../repositories/repository-store.ts';
import { branchTermsOf } from './query/branch-terms.ts';
import { queryFault } from './query/query-fault.ts';

/** Branches that a fault names, of those there are. */
const mostNamed = 5;

/**
 * Refuses a branch that no repository in range has indexed: an empty answer would say that nothing is on it.
 * @param text what `query` was parsed from
 * @throws InvalidInput with the column, and a few branches that there are.
 */
export function checkBranches(
  text: string,
  query: Query,
  repositories: readonly SearchableRepository[],
): void {
  const inRange = narrow(query, repositories);
  if (inRange.length === 0) return;
  const unknown = branchTermsOf(text).find(({ pattern }) => !inRange.some((each) => follows(each, pattern)));
  if (unknown === undefined) return;
  const names = [
    ...new Set(inRange.flatMap(({ indexedBranches }) => indexedBranches.map(({ name }) => name))),
  ];
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  throw queryFault(
    unknown.at,
    `no repository in range has an indexed branch \`${unknown.pattern}\`; there are ${names.slice(0, mostNamed).join(', ')}${more}.`,
  );
}

/** By the `repo:` that hold for the whole query. */
function narrow(
  query: Query,
  repositories: readonly SearchableRepository[],
): readonly SearchableRepository[] {
  const all = query.kind === 'and' ? query.operands : [query];
  const parts = all.flatMap((each) => (each.kind === 'repository' ? [each.text.toLowerCase()] : []));
  return repositories.filter(({ name }) => parts.every((part) => name.toLowerCase().includes(part)));
}

/** Of a repository that a release before branches indexed no names are known, so that it may have any. */
function follows({ indexedBranches }: SearchableRepository, pattern: string): boolean {
  if (pattern === 'HEAD' || indexedBranches.length === 0) return true;
  return indexedBranches.some(({ name }) => matchesBranchGlob(pattern, name));
}
