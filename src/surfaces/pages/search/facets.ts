import type { CodeSearchItem } from '../../../features/search/search-code.ts';

/** A value that narrows a search, with the number of shown files that have it. */
export interface Facet {
  readonly label: string;
  readonly query: string;
  readonly files: number;
}

export interface Facets {
  readonly repositories: readonly Facet[];
  readonly languages: readonly Facet[];
}

/** Maximum number of values of a facet. */
const maxValues = 8;

/**
 * Returns the repositories and languages of the shown files, the most frequent first. A single value narrows nothing.
 */
export function facetsOf(
  query: string,
  items: readonly Pick<CodeSearchItem, 'repository' | 'language'>[],
): Facets {
  return {
    repositories: facet(
      query,
      'repo',
      items.map(({ repository }) => repository),
    ),
    languages: facet(
      query,
      'lang',
      items.map(({ language }) => language),
    ),
  };
}

/** Returns the heading of a facet. It says which files the numbers count: the engine counts none beyond the page. */
export function facetTitle(label: string, shown: number, matched: number): string {
  return shown >= matched ? label : `${label} of the ${shown} files on this page`;
}

function facet(query: string, filter: string, values: readonly string[]): readonly Facet[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  if (counts.size < 2) return [];
  return [...counts]
    .toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .slice(0, maxValues)
    .map(([label, files]) => ({ label, files, query: `${filter}:${quoted(label)} ${grouped(query)}` }));
}

function quoted(value: string): string {
  return /^[\w./-]+$/.test(value) ? value : `"${value.replaceAll('"', String.raw`\"`)}"`;
}

/** Puts a query with `or` into parentheses, because a filter next to it would apply to its first part only. */
function grouped(query: string): string {
  return /\sor\s|\sOR\s|\|/.test(query) ? `(${query})` : query;
}
