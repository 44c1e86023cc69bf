import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';

/**
 * Returns the definitions that a name with its package means: `okhttp3.Call` is `Call` of `src/okhttp3/Call.kt`. The
 * graph knows no packages, but the path of a file has the parts of its package in their order. Of several files, those
 * are meant whose path has the fewest other names behind the first part.
 */
export function definitionsInPackage(
  definitions: readonly DefinedName[],
  qualified: string,
  repositories: readonly Pick<NamedSearchable, 'id' | 'name'>[],
): readonly DefinedName[] {
  const names = new Map(repositories.map(({ id, name }) => [String(id), name]));
  const searched = definitions.filter(({ repositoryId }) => names.has(repositoryId));
  // A name may be long, and many definitions may have one name.
  const known = new Map<string, readonly string[]>();
  const byDistance = Map.groupBy(searched, ({ qualifiedName, repositoryId, path }) => {
    if (!qualified.endsWith(`.${qualifiedName}`)) return Number.POSITIVE_INFINITY;
    const parts = known.get(qualifiedName) ?? comparable(qualified.slice(0, -qualifiedName.length - 1), '.');
    known.set(qualifiedName, parts);
    const file = path.replace(/\.[^./]*$/, '');
    const repository = comparable(names.get(repositoryId) ?? '', '/');
    return distanceIn([...repository, ...comparable(file, '/')], parts, repository.length);
  });
  const nearest = Math.min(...byDistance.keys());
  return nearest === Number.POSITIVE_INFINITY ? [] : (byDistance.get(nearest) ?? []);
}

/**
 * Returns how many names behind the first part of a package in a path are no parts of it; infinity if the path lacks a
 * part.
 */
function distanceIn(path: readonly string[], parts: readonly string[], ofRepository: number): number {
  if (parts.length > path.length) return Number.POSITIVE_INFINITY;
  let at = path.length;
  for (const part of parts.toReversed()) {
    at = path.slice(0, at).lastIndexOf(part);
    if (at < 0 || part === '') return Number.POSITIVE_INFINITY;
  }
  // A folder says more than the name of the repository.
  return path.length - at - parts.length + (at < ofRepository ? 1 : 0);
}

/** Returns the parts of a package or path as they are compared: a crate `a_b` is in a folder `a-b`. */
function comparable(text: string, separator: string): readonly string[] {
  return text.toLowerCase().replaceAll('_', '-').split(separator);
}
