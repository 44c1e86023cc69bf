import { type Bits, eachBit, notBits } from '../format/bits.ts';
import { type Manifest, readManifest, type SegmentEntry } from '../format/manifest.ts';
import { SKIP, SKIP_REASONS } from '../format/segment-sections.ts';
import { deadDocuments, openSegmentFile } from '../read/live-segment.ts';
import { isMarkedDamaged } from '../read/repository-index.ts';
import { DamagedSegment, type Segment } from '../read/segment.ts';

/** The index of a repository as its writer sees it. */
export interface CurrentIndex {
  readonly manifest: Manifest;
  readonly segments: readonly CurrentSegment[];
  close(): void;
}

export interface CurrentSegment {
  readonly entry: SegmentEntry;
  readonly segment: Segment;
  /** Grows while an update is made. */
  readonly dead: Bits;
}

/** `undefined` when there is none, or when it is damaged: then everything is built anew. */
export function openCurrentIndex(folder: string): CurrentIndex | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined || isMarkedDamaged(folder, manifest.generation)) return undefined;
  const segments: CurrentSegment[] = [];
  const close = (): void => {
    for (const { segment } of segments) segment.close();
  };
  try {
    for (const entry of manifest.segments) {
      segments.push({ entry, segment: openSegmentFile(folder, entry), dead: deadDocuments(folder, entry) });
    }
  } catch (error) {
    close();
    if (error instanceof DamagedSegment) return undefined;
    throw error;
  }
  return { manifest, segments, close };
}

/** Reads every byte. */
export function isIntact(current: CurrentIndex): boolean {
  try {
    for (const { segment } of current.segments) segment.verify();
    return true;
  } catch (error) {
    if (error instanceof DamagedSegment) return false;
    throw error;
  }
}

export interface Counts {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: Record<string, number>;
}

/** What lies in the live documents of some segments. */
export function countDocuments(segments: readonly Pick<CurrentSegment, 'segment' | 'dead'>[]): Counts {
  let files = 0;
  let bytes = 0;
  const skipped: Record<string, number> = {};
  for (const { segment, dead } of segments) {
    const { documents } = segment;
    for (const document of eachBit(notBits(dead, documents.count), 0, documents.count)) {
      const code = documents.skipped[document]!;
      if (code === SKIP.none) {
        files++;
        bytes += documents.sizes[document]!;
      } else {
        const reason = SKIP_REASONS[code] ?? 'other';
        skipped[reason] = (skipped[reason] ?? 0) + 1;
      }
    }
  }
  return { files, bytes, skipped };
}
