import { indexerVersion } from '../format/indexer.ts';
import type { Manifest, SegmentEntry } from '../format/manifest.ts';

/** Number of deltas at which an update merges some of them with its own. Every search takes time per segment. */
const maxDeltas = 8;
/**
 * Maximum shares of dead documents and of text in deltas before a compaction is worthwhile. Both slow down searches.
 */
const maxDead = 0.2;
const maxInDeltas = 0.25;

/**
 * Returns the deltas, given oldest first, that are rewritten together with a new one; none below the limit. Young
 * ones are merged before large ones, so that each byte is rewritten about as often as its share doubles, and not with
 * every eighth push.
 */
export function deltasToMerge<Delta extends { readonly entry: Pick<SegmentEntry, 'bytes'> }>(
  deltas: readonly Delta[],
): readonly Delta[] {
  if (deltas.length < maxDeltas) return [];
  let bytes = 0;
  let from = deltas.length;
  for (const { entry } of deltas.toReversed()) {
    // At least two, because otherwise the next push would merge again.
    if (deltas.length - from >= 2 && entry.bytes > 2 * bytes) break;
    bytes += entry.bytes;
    from--;
  }
  return deltas.slice(from);
}

/**
 * Returns whether another `indexerVersion` wrote some of the segments, so that a rebuilt index would contain other
 * data.
 */
export function isOutdated(manifest: Manifest): boolean {
  return manifest.indexerVersion !== indexerVersion;
}

/** Returns whether the index would be smaller or faster if its segments were merged. */
export function isWorthMerging({ segments }: Manifest): boolean {
  const deltas = segments.filter(({ kind }) => kind === 'delta');
  return (
    total(segments, 'dead') > total(segments, 'documents') * maxDead ||
    total(deltas, 'bytes') > total(segments, 'bytes') * maxInDeltas
  );
}

function total(segments: readonly SegmentEntry[], what: 'documents' | 'dead' | 'bytes'): number {
  return segments.reduce((sum, entry) => sum + entry[what], 0);
}
