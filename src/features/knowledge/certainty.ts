import { graphLimits } from '../../backends/graph/port.ts';

export const certainties = ['certain', 'possible'] as const;

/** `certain`: the target follows from the code or text. `possible`: it is one of several, or has only a fitting name. */
export type Certainty = (typeof certainties)[number];

/** The least confidence of a certain edge. A name that several entities have is never certain. */
export const certainConfidence = graphLimits.ambiguousConfidence + 1;

export function certaintyOf({ confidence }: { readonly confidence: number }): Certainty {
  return confidence >= certainConfidence ? 'certain' : 'possible';
}
