/** A text that the names of all branches hold which are meant; Zoekt asks for no more. */
export function searchedPart(pattern: string): string {
  if (pattern === 'HEAD') return pattern;
  const longest = pattern
    .split(/[*?]+/)
    .reduce((best, part) => (part.length > best.length ? part : best), '');
  // To Zoekt that one is no text.
  return longest === 'HEAD' ? 'HEA' : longest;
}
