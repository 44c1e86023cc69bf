import type { SegmentState } from '../read/segment-state.ts';
import type { CurrentSegment } from './current-index.ts';

/** A segment of the current generation with its state in the next one. */
export interface DraftSegment extends CurrentSegment {
  readonly next: SegmentState;
}

export function isChanged({ state, next }: DraftSegment): boolean {
  return !(
    isSame(state.low, next.low) &&
    isSame(state.high, next.high) &&
    state.renamed.size === next.renamed.size &&
    [...next.renamed].every(([document, path]) => state.renamed.get(document) === path)
  );
}

function isSame(a: Uint32Array, b: Uint32Array): boolean {
  return a.every((word, index) => word === b[index]);
}
