import { type ClassWeights, classWeights } from '../../file-class.ts';
import type { RankRequest } from '../../port.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { classOfDocument } from './file-classes.ts';

/**
 * Weight of each lane. Measured on seven repositories with 2,100 past changes as questions, each repository with
 * weights that were fitted on the other six; each lane was kept because it paid there.
 */
export const laneWeights = {
  /** Terms in content, definitions, path and the subjects of past changes. */
  content: 2.3,
  /** Whole words as written. */
  words: 1.1,
  path: 1.4,
  /** Neighbouring terms of the question that are neighbours in the text, too. */
  pairs: 1,
  /** Names, paths and texts as written. */
  exact: 1.3,
  /** The area of the question in the path. */
  area: 1.4,
  /** Past changes of the same area. */
  areaHistory: 0.9,
  /** Similar past changes. */
  history: 1.2,
  recency: 0.9,
} as const;

export type Lane = keyof typeof laneWeights;

export const lanes = Object.keys(laneWeights) as Lane[];

/** The values of one file, or the maximum over all files. */
export type LaneValues = Record<Lane, number>;

export function noValues(): LaneValues {
  return {
    content: 0,
    words: 0,
    path: 0,
    pairs: 0,
    exact: 0,
    area: 0,
    areaHistory: 0,
    history: 0,
    recency: 0,
  };
}

/** Factor of the files in a repository that the question names. */
const preferredFactor = 1.5;

/** Returns the factor of a document's class and repository. */
export type FactorOf = (live: LiveSegment, document: number) => number;

export function factorsOf({ weights, preferred }: RankRequest): FactorOf {
  const byClass: ClassWeights = { ...classWeights, ...weights };
  const named = new Set(preferred);
  return (live, document) =>
    byClass[classOfDocument(live, document)] * (named.has(live.repositoryId) ? preferredFactor : 1);
}

/** Returns what each lane adds to the score of a file, relative to the best value of the lane. */
export function sharesOf(values: LaneValues, best: LaneValues): LaneValues {
  const shares = noValues();
  for (const lane of lanes) {
    // The area is a share already, and a mere mention is no better because nothing is defined.
    const scale = lane === 'area' ? 1 : lane === 'exact' ? Math.max(1, best.exact) : best[lane];
    shares[lane] = scale > 0 ? (laneWeights[lane] * values[lane]) / scale : 0;
  }
  return shares;
}
