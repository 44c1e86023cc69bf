import { type Manifest, readManifest, type SegmentEntry } from '../format/manifest.ts';
import { skipCodes, skipReasons } from '../format/segment-sections.ts';
import { markSymbolsDamaged } from '../format/symbols-file.ts';
import { OpenSymbols } from '../read/open-symbols.ts';
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
  readonly symbols: OpenSymbols;
  /** Changes during an update. */
  readonly state: SegmentState;
}

/** Opens the index; `undefined` if there is none or it is damaged, in which case everything is rebuilt. */
export function openCurrentIndex(folder: string): CurrentIndex | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined || isMarkedDamaged(folder, manifest.generation)) return undefined;
  const segments: CurrentSegment[] = [];
  const close = (): void => {
    for (const { segment, symbols } of segments) for (const file of [segment, symbols]) file.close();
  };
  try {
    for (const entry of manifest.segments) {
      const segment = openSegmentFile(folder, entry);
      try {
        const state = readSegmentState(folder, entry, segment);
        const symbols = new OpenSymbols(folder, entry);
        if (symbols.isMissing && entry.symbols !== undefined) markSymbolsDamaged(folder, entry.symbols);
        segments.push({ entry, segment, symbols, state });
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

/** The files of each folder whose bytes this process has fully verified. They never change. */
export type VerifiedFiles = Map<string, ReadonlySet<string>>;

/**
 * Verifies every byte of the segments that are not verified yet, and yields to the event loop meanwhile. Also verifies
 * their definitions, whose damage leaves the index intact: the damaged file is marked, and `defineSome` replaces it.
 */
export async function isIntact(
  folder: string,
  { segments }: CurrentIndex,
  verified: VerifiedFiles,
): Promise<boolean> {
  const known = verified.get(folder) ?? new Set();
  const intact = new Set<string>();
  try {
    for (const { entry, segment, symbols } of segments) {
      if (!known.has(entry.file)) await segment.verify();
      intact.add(entry.file);
      if (symbols.file !== undefined && (known.has(symbols.file) || symbols.isIntact()))
        intact.add(symbols.file);
    }
  } catch (error) {
    if (!(error instanceof DamagedSegment)) throw error;
    verified.delete(folder);
    return false;
  }
  verified.set(folder, intact);
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
