import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { NamedRepository } from '../port.ts';
import { printText } from './query/print-regex.ts';
import { constant, not, type ZoektQuery } from './query/zoekt-query.ts';
import { indexName } from './repository-name.ts';

/**
 * Returns the range of a search in two forms: a query for the names that only this organization has, and the numbers
 * of the given repositories.
 */
export function rangeOf(
  scope: DataScope,
  named: readonly NamedRepository[] | undefined,
): { query: ZoektQuery; repositories: readonly NamedRepository[]; numbers: { repositories?: number[] } } {
  const repositories = named?.filter(({ id }) => indexName(scope, id) !== undefined) ?? [];
  if (named !== undefined && repositories.length === 0)
    return { query: constant(false), repositories, numbers: {} };
  const query: ZoektQuery = { kind: 'repository', pattern: `${printText(`${scope.organizationId}/`)}.*` };
  if (named === undefined) return { query, repositories, numbers: {} };
  return { query, repositories, numbers: { repositories: repositories.map(({ number }) => number) } };
}

/** Excludes skipped files, which Zoekt indexes with the reason as their text. */
export const indexed: ZoektQuery = not({
  kind: 'pattern',
  field: 'content',
  pattern: String.raw`\ANOT-INDEXED: [a-z ]+\z`,
  caseSensitive: true,
});
