import type { ImportingFile, SourceTree } from './module-rules.ts';
import { joinPath } from './paths.ts';

/** Returns the first of the paths that exists. */
export function firstKnown(tree: SourceTree, paths: readonly string[]): readonly string[] {
  const found = paths.find((path) => tree.has(path));
  return found === undefined ? [] : [found];
}

/** Returns the paths that share the most folders with a file. */
export function nearestTo(
  { path: from }: Pick<ImportingFile, 'path'>,
  paths: readonly string[],
): readonly string[] {
  if (paths.length < 2) return paths;
  const others = from.split('/');
  const shared = paths.map((path) => {
    const segments = path.split('/');
    const end = segments.findIndex((segment, index) => segment !== others[index]);
    return end < 0 ? segments.length : end;
  });
  const most = Math.max(...shared);
  return paths.filter((_, index) => shared[index] === most);
}

/** Returns the path that ends with `suffix`, of several the nearest one; none if several are equally near. */
export function bySuffix(tree: SourceTree, from: ImportingFile, suffix: string): readonly string[] {
  const found = nearestTo(from, tree.endingWith(joinPath('', suffix).replace(/^(?:\.\.\/)+/, '')));
  return found.length === 1 ? found : [];
}
