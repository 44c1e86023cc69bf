import { type Manifest, readManifest, type SegmentEntry } from '../format/manifest.ts';
import { skipCodes, skipReasons } from '../format/segment-sections.ts';
import { isMarkedDamaged } from '../read/repository-index.ts';
import { DamagedSegment, type Segment } from '../read/segment.ts';
import { isAlive, openSegmentFile, readSegmentState, type SegmentState } from '../read/segment-state.ts';

/** The index of a repository as its writer uses it. */
export interface CurrentIndex {
  readonly manifest: Manifest;
  readonly segments: readonly CurrentSegment[];
  close(): void;
}

export interface CurrentSegment {
  readonly entry: SegmentEntry;
  readonly segment: Segment;
  /** Changes during an update. */
  readonly state: SegmentState;
}

/** Opens the index; `undefined` if there is none or it is damaged, in which case everything is rebuilt. */
export function openCurrentIndex(folder: string): CurrentIndex | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined || isMarkedDamaged(folder, manifest.generation)) return undefined;
  const segments: CurrentSegment[] = [];
  const close = (): void => {
    for (const { segment } of segments) segment.close();
  };
  try {
    for (const entry of manifest.segments) {
      const segment = openSegmentFile(folder, entry);
      try {
        segments.push({ entry, segment, state: readSegmentState(folder, entry, segment) });
      } catch (error) {
        segment.close();
        throw error;
      }
    }
  } catch (error) {
    close();
    if (error instanceof DamagedSegment) return undefined;
    throw error;
  }
  return { manifest, segments, close };
}

/** The segments of each folder whose bytes this process has fully verified. Segments never change. */
export type VerifiedSegments = Map<string, ReadonlySet<string>>;

/** Verifies every byte of the segments that are not verified yet, and yields to the event loop meanwhile. */
export async function isIntact(
  folder: string,
  { segments }: CurrentIndex,
  verified: VerifiedSegments,
): Promise<boolean> {
  const known = verified.get(folder);
  try {
    for (const { entry, segment } of segments) if (known?.has(entry.file) !== true) await segment.verify();
  } catch (error) {
    if (!(error instanceof DamagedSegment)) throw error;
    verified.delete(folder);
    return false;
  }
  verified.set(folder, new Set(segments.map(({ entry }) => entry.file)));
  return true;
}

export interface Counts {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: Record<string, number>;
}

/** Counts the live documents of the segments. */
export function countDocuments(segments: readonly Pick<CurrentSegment, 'segment' | 'state'>[]): Counts {
  let files = 0;
  let bytes = 0;
  const skipped: Record<string, number> = {};
  for (const { segment, state } of segments) {
    const { documents } = segment;
    for (let document = 0; document < documents.count; document++) {
      if (!isAlive(state, document)) continue;
      const code = documents.skipped[document]!;
      if (code === skipCodes.none) {
        files++;
        bytes += documents.sizes[document]!;
      } else {
        const reason = skipReasons[code] ?? 'other';
        skipped[reason] = (skipped[reason] ?? 0) + 1;
      }
    }
  }
  return { files, bytes, skipped };
}
