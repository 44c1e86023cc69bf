/** Maximum number of names of one question; more would not narrow the result. */
const maxNames = 10;

/** Returns the names of a question that can occur in a line or a path, without duplicates, at most ten. */
export function usableNames(names: readonly string[]): readonly string[] {
  const usable = names.filter(
    (name) => name.trim().length > 1 && name.isWellFormed() && !/[\n\0]/.test(name),
  );
  return [...new Set(usable)].slice(0, maxNames);
}

/** Returns the texts that were not found. `a.b` counts as found if `b` is found. */
export function unmatchedOf(
  wanted: readonly { readonly text: string; readonly isFound: boolean }[],
): string[] {
  return wanted
    .filter(
      ({ text, isFound }) => !isFound && !wanted.some((one) => one.isFound && isLastPart(one.text, text)),
    )
    .map(({ text }) => text);
}

function isLastPart(part: string, name: string): boolean {
  return name !== part && name.split(/\.|::|#/).at(-1) === part;
}

/** Returns whether a question means this file: one of the paths ends with the other. */
export function isSamePath(path: string, mentioned: string): boolean {
  return path === mentioned || path.endsWith(`/${mentioned}`) || mentioned.endsWith(`/${path}`);
}

/** Like `usableNames`, for paths. Removes a leading `./` or `/`. */
export function usablePaths(paths: readonly string[]): readonly string[] {
  return usableNames(paths).map((path) => path.replace(/^(?:\.?\/)+/, ''));
}
