/** What a file's branch is asked for: a name, a pattern with `*` and `?`, or `HEAD` for the first of its repository. */
export function branchMatches(pattern: string, name: string, isDefault: boolean): boolean {
  return pattern === 'HEAD' ? isDefault : globMatches(pattern, name);
}

/** A text that the names of all branches hold which are meant; Zoekt asks for no more. */
export function searchedPart(pattern: string): string {
  if (pattern === 'HEAD') return pattern;
  const longest = pattern
    .split(/[*?]+/)
    .reduce((best, part) => (part.length > best.length ? part : best), '');
  // To Zoekt that one is no text.
  return longest === 'HEAD' ? 'HEA' : longest;
}

/** Goes back to the last `*` alone, so that no pattern takes more than its length times that of the name. */
function globMatches(pattern: string, name: string): boolean {
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
