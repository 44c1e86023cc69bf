/**
 * Whether a branch is one that a query means: `*` stands for any characters, slashes too, `?` for one. Without a regular
 * expression, and going back to the last `*` alone: no pattern takes more than its length times that of the name.
 */
export function matchesBranchGlob(pattern: string, name: string): boolean {
  let [at, read] = [0, 0];
  let star = -1;
  let behindStar = 0;
  while (read < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      behindStar = read;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[read])) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      read = ++behindStar;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
