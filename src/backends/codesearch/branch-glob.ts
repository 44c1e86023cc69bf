/**
 * Returns whether a branch name matches a pattern: `*` matches any characters including slashes, `?` matches one.
 * Uses no regular expression and backtracks only to the last `*`, so the cost is at most the pattern length times the
 * name length.
 */
export function matchesBranchGlob(pattern: string, name: string): boolean {
  let [at, position] = [0, 0];
  let star = -1;
  let afterStar = 0;
  while (position < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      afterStar = position;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[position])) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      position = ++afterStar;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
