import { join } from 'node:path';
import { eachBit } from '../format/bits.ts';
import { isAbsent } from '../format/durable-files.ts';
import type { SegmentEntry } from '../format/manifest.ts';
import { readOverrides } from '../format/overrides.ts';
import { readTombstones } from '../format/tombstones.ts';
import { DamagedSegment, Segment, type SegmentCaches } from './segment.ts';

/** What one generation says about the documents of a segment. */
export interface SegmentState {
  /** The branches of each document, 0 to 31 and 32 to 63, a bit each. Dead documents are on none. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  /** Paths of documents that were renamed since the segment was written. */
  readonly renamed: Map<number, string>;
}

/** @throws DamagedSegment */
export function readSegmentState(folder: string, entry: SegmentEntry, segment: Segment): SegmentState {
  const { documents } = segment;
  const state: SegmentState = {
    low: documents.branchesLow.slice(),
    high: documents.branchesHigh.slice(),
    renamed: new Map(),
  };
  const file = join(folder, entry.file);
  const damaged = (): DamagedSegment => new DamagedSegment(file, 'damaged overrides');
  intact(file, () => {
    const dead = readTombstones(folder, entry);
    if (dead === undefined) throw damaged();
    for (const document of eachBit(dead, 0, documents.count)) {
      state.low[document] = 0;
      state.high[document] = 0;
    }
    const rows = entry.overrides === undefined ? [] : readOverrides(folder, entry.overrides);
    if (rows === undefined) throw damaged();
    for (const { document, low, high, path } of rows) {
      state.low[document] = low;
      state.high[document] = high;
      if (path !== undefined) state.renamed.set(document, path);
    }
  });
  return state;
}

/** @throws DamagedSegment */
export function openSegmentFile(folder: string, entry: SegmentEntry, caches?: SegmentCaches): Segment {
  const file = join(folder, entry.file);
  return intact(file, () => new Segment(file, entry.checksum, caches));
}

export function isOnBranch({ low, high }: SegmentState, document: number, bit: number): boolean {
  const word = bit < 32 ? low[document]! : high[document]!;
  return ((word >>> (bit % 32)) & 1) === 1;
}

export function putOnBranch({ low, high }: SegmentState, document: number, bit: number): void {
  const words = bit < 32 ? low : high;
  words[document]! |= 1 << (bit % 32);
}

export function takeOffBranch({ low, high }: SegmentState, document: number, bit: number): void {
  const words = bit < 32 ? low : high;
  words[document]! &= ~(1 << (bit % 32));
}

export function isAlive({ low, high }: SegmentState, document: number): boolean {
  return (low[document]! | high[document]!) !== 0;
}

/** A file that the manifest names and that is not there is damage, not absence. */
function intact<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (isAbsent(error)) throw new DamagedSegment(file, 'a file of the index is missing', { cause: error });
    throw error;
  }
}
