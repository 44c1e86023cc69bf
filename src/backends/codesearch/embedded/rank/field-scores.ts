import type { LiveSegment } from '../read/live-segment.ts';
import { pathTerms } from './path-terms.ts';
import type { RankTerm } from './rank-terms.ts';

/** Constants of Okapi BM25 (Robertson and Zaragoza 2009), with their common values. */
export const k1 = 1.2;
const lengthNormalization = 0.75;

/** Scores by document of one segment. */
export interface FieldScores {
  readonly scores: { readonly content: Float64Array; readonly path: Float64Array };
  /** The terms that the document contains, one bit each. */
  readonly contentTerms: Uint32Array;
  readonly pathTerms: Uint32Array;
}

export function fieldScores(live: LiveSegment, terms: readonly RankTerm[], average: number): FieldScores {
  const { count } = live.segment.documents;
  const table = live.segment.terms;
  const scores = { content: new Float64Array(count), path: new Float64Array(count) };
  const fields: FieldScores = {
    scores,
    contentTerms: new Uint32Array(count),
    pathTerms: new Uint32Array(count),
  };
  terms.forEach((term, bit) => {
    table.each(term.content, (document, frequency) => {
      const length = 1 - lengthNormalization + (lengthNormalization * table.lengths[document]!) / average;
      scores.content[document]! += (term.contentWeight * frequency * (k1 + 1)) / (frequency + k1 * length);
      fields.contentTerms[document]! |= 1 << bit;
    });
    table.each(term.path, (document, frequency) => {
      if (!live.renamed.has(document)) addPathTerm(fields, document, term, bit, frequency);
    });
  });
  for (const [document, path] of live.renamed) {
    const counts = pathTerms(path);
    terms.forEach((term, bit) => {
      const frequency = counts.get(term.path) ?? 0;
      if (frequency > 0) addPathTerm(fields, document, term, bit, frequency);
    });
  }
  return fields;
}

/** Adds the score of a path term. It is not normalized by length, since all paths have about the same length. */
function addPathTerm(
  fields: FieldScores,
  document: number,
  term: RankTerm,
  bit: number,
  frequency: number,
): void {
  fields.scores.path[document]! += (term.pathWeight * frequency * (k1 + 1)) / (frequency + k1);
  fields.pathTerms[document]! |= 1 << bit;
}

/** Returns the average number of terms per document over all segments; at least 1. */
export function averageLength(segments: readonly LiveSegment[]): number {
  let terms = 0;
  let documents = 0;
  for (const { segment } of segments) {
    for (const length of segment.terms.lengths) terms += length;
    documents += segment.documents.count;
  }
  return documents === 0 ? 1 : Math.max(1, terms / documents);
}
