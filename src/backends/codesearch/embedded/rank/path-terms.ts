import { asPathTerm, eachTerm, NAME_WEIGHT } from '../format/terms.ts';

/** How often each term stands in a path, counted as in the postings: for a document that was renamed since. */
export function pathTerms(path: string): ReadonlyMap<number, number> {
  const bytes = Buffer.from(path);
  const name = bytes.lastIndexOf('/') + 1;
  const counts = new Map<number, number>();
  eachTerm(bytes, 0, bytes.length, (word, start) => {
    const term = asPathTerm(word);
    counts.set(term, (counts.get(term) ?? 0) + (start < name ? 1 : NAME_WEIGHT));
  });
  return counts;
}
