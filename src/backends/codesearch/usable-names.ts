/** Of a question; who names more means nothing in particular. */
const MOST_NAMES = 10;

/** The names or paths of a question that can stand in a line or a path, each once, the first ten. */
export function usableNames(names: readonly string[]): readonly string[] {
  const usable = names.filter(
    (name) => name.trim().length > 1 && name.isWellFormed() && !/[\n\0]/.test(name),
  );
  return [...new Set(usable)].slice(0, MOST_NAMES);
}

/** The same of paths, from the root of a repository as people write it. */
export function usablePaths(paths: readonly string[]): readonly string[] {
  return usableNames(paths).map((path) => path.replace(/^(?:\.?\/)+/, ''));
}
