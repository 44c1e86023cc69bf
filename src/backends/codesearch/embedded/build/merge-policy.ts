import { INDEXER } from '../format/indexer.ts';
import { MANIFEST_FORMAT, type Manifest, type SegmentEntry } from '../format/manifest.ts';

/** Every search pays for each segment; beyond these an update merges some deltas with its own. */
const MOST_DELTAS = 8;
/** Searches pay for dead documents, and for text in many small segments: beyond these shares it is worth a rewrite. */
const MOST_DEAD = 0.2;
const MOST_IN_DELTAS = 0.25;

/**
 * The deltas, of those given oldest first, that are written again together with a new one; none while there is room.
 * Young ones go before large ones, so that each byte is written again about as often as its share doubles, and not with
 * every eighth push.
 */
export function deltasToMerge<Delta extends { readonly entry: Pick<SegmentEntry, 'bytes'> }>(
  deltas: readonly Delta[],
): readonly Delta[] {
  if (deltas.length < MOST_DELTAS) return [];
  let bytes = 0;
  let from = deltas.length;
  for (const { entry } of deltas.toReversed()) {
    // At least two, or the next push would merge again.
    if (deltas.length - from >= 2 && entry.bytes > 2 * bytes) break;
    bytes += entry.bytes;
    from--;
  }
  return deltas.slice(from);
}

/** Whether a former program wrote some of it: built anew it would hold more. */
export function isOutdated({ indexer, format }: Manifest): boolean {
  return indexer !== INDEXER || format !== MANIFEST_FORMAT;
}

/** Whether the index would be smaller or faster if its segments were written again as one. */
export function isWorthMerging({ segments }: Manifest): boolean {
  const deltas = segments.filter(({ kind }) => kind === 'delta');
  return (
    total(segments, 'dead') > total(segments, 'documents') * MOST_DEAD ||
    total(deltas, 'bytes') > total(segments, 'bytes') * MOST_IN_DELTAS
  );
}

function total(segments: readonly SegmentEntry[], what: 'documents' | 'dead' | 'bytes'): number {
  return segments.reduce((sum, entry) => sum + entry[what], 0);
}
