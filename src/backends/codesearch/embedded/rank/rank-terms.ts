import type { RankRequest } from '../../port.ts';
import { asPathTerm, wordsOf } from '../format/terms.ts';
import type { LiveSegment } from '../read/live-segment.ts';

/** Terms of a question are bits of a 32-bit mask; of longer questions the rarest terms count. */
const MOST_TERMS = 32;

export interface RankTerm {
  /** The part of the question that it stands for, as written: `needle` of `needle1`. */
  readonly word: string;
  readonly content: number;
  readonly path: number;
  /** Inverse document frequency in either field; 0 where no document holds the term. */
  readonly contentWeight: number;
  readonly pathWeight: number;
}

/** The distinct terms of a question with their weights over all segments in range. */
export function rankTerms(request: RankRequest, segments: readonly LiveSegment[]): RankTerm[] {
  const words = wordsAsked(request);
  const documents = segments.reduce((sum, live) => sum + live.segment.documents.count, 0);
  const weight = (term: number): number => {
    const frequency = segments.reduce((sum, live) => sum + live.segment.terms.documentFrequency(term), 0);
    return frequency === 0 ? 0 : Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
  };
  return [...words]
    .map(([content, word]) => {
      const path = asPathTerm(content);
      return { word, content, path, contentWeight: weight(content), pathWeight: weight(path) };
    })
    .filter((term) => term.contentWeight > 0 || term.pathWeight > 0)
    .toSorted((a, b) => b.contentWeight - a.contentWeight || a.content - b.content)
    .slice(0, MOST_TERMS);
}

/** The distinct terms of a question, by hash, whether anything holds them or not. */
export function wordsAsked(request: RankRequest): Map<number, string> {
  const words = new Map<number, string>();
  // Every file of a language has its extension.
  const paths = request.paths.map((path) => path.replace(/\.\w+$/, ''));
  for (const text of [...request.terms, ...request.identifiers, ...paths]) {
    for (const [term, word] of wordsOf(text)) if (!words.has(term)) words.set(term, word);
  }
  return words;
}
