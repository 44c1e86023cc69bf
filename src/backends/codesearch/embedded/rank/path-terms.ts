import { asPathTerm, eachTerm, nameWeight } from '../format/terms.ts';

/**
 * Counts the terms of a path with the same weights as in the postings. For a document that was renamed after it was
 * indexed.
 */
export function pathTerms(path: string): ReadonlyMap<number, number> {
  const bytes = Buffer.from(path);
  const name = bytes.lastIndexOf('/') + 1;
  const counts = new Map<number, number>();
  eachTerm(bytes, 0, bytes.length, (word, start) => {
    const term = asPathTerm(word);
    counts.set(term, (counts.get(term) ?? 0) + (start < name ? 1 : nameWeight));
  });
  return counts;
}
