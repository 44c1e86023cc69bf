/** Returns a text that every branch name matching the pattern contains; Zoekt only supports such a substring. */
export function searchedPart(pattern: string): string {
  if (pattern === 'HEAD') return pattern;
  const maxPart = pattern
    .split(/[*?]+/)
    .reduce((best, part) => (part.length > best.length ? part : best), '');
  // Zoekt reads HEAD as the default branch, not as a substring.
  return maxPart === 'HEAD' ? 'HEA' : maxPart;
}
