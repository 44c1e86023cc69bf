import type { RankRequest } from '../../port.ts';
import { asPathTerm, wordsOf } from '../format/terms.ts';
import type { LiveSegment } from '../read/live-segment.ts';

/**
 * Maximum number of terms per question, which are the bits of a 32-bit mask. Of longer questions the rarest terms
 * count.
 */
const maxTerms = 32;

export interface RankTerm {
  /** The part of the question that the term represents, as written: `needle` of `needle1`. */
  readonly word: string;
  readonly content: number;
  readonly path: number;
  /** Inverse document frequency in each field; 0 if no document contains the term. */
  readonly contentWeight: number;
  readonly pathWeight: number;
}

/**
 * Returns the distinct terms of a question with their weights over all segments in range, the rarest first and those
 * that no document contains last: past commits may contain them.
 */
export function rankTerms(request: RankRequest, segments: readonly LiveSegment[]): RankTerm[] {
  const words = questionWords(request);
  const documents = segments.reduce((sum, live) => sum + live.segment.documents.count, 0);
  const weight = (term: number): number => {
    const frequency = segments.reduce((sum, live) => sum + live.segment.terms.documentFrequency(term), 0);
    return frequency === 0 ? 0 : Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
  };
  const termOf = (content: number, word: string): RankTerm => {
    const path = asPathTerm(content);
    return { word, content, path, contentWeight: weight(content), pathWeight: weight(path) };
  };
  const byRarity = (a: RankTerm, b: RankTerm): number =>
    b.contentWeight - a.contentWeight || a.content - b.content;
  return [...words]
    .map(([content, word]) => termOf(content, word))
    .toSorted(byRarity)
    .slice(0, maxTerms);
}

/** Returns the distinct terms of a question by hash, including those that no document contains. */
function questionWords(request: RankRequest): Map<number, string> {
  const words = new Map<number, string>();
  // Extensions are removed, since every file of a language has the same one.
  const paths = request.paths.map((path) => path.replace(/\.\w+$/, ''));
  for (const text of [...request.terms, ...request.identifiers, ...paths]) {
    for (const [term, word] of wordsOf(text)) if (!words.has(term)) words.set(term, word);
  }
  return words;
}
