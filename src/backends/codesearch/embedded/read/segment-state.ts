import { join } from 'node:path';
import { isAbsent } from '../format/durable-files.ts';
import type { SegmentEntry } from '../format/manifest.ts';
import { readOverrides } from '../format/overrides.ts';
import { DamagedSegment, Segment, type SegmentCaches } from './segment.ts';

/** The state of the documents of a segment in one generation. */
export interface SegmentState {
  /** The branches of each document, 0 to 31 and 32 to 63, one bit each. Deleted documents are on none. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  /** Paths of documents that were renamed since the segment was written. */
  readonly renamed: Map<number, string>;
}

/** Reads the state of a segment. @throws DamagedSegment */
export function readSegmentState(folder: string, entry: SegmentEntry, segment: Segment): SegmentState {
  const { documents } = segment;
  const state: SegmentState = {
    low: documents.branchesLow.slice(),
    high: documents.branchesHigh.slice(),
    renamed: new Map(),
  };
  const file = join(folder, entry.file);
  openExpected(file, () => {
    const rows = entry.overrides === undefined ? [] : readOverrides(folder, entry.overrides);
    if (rows === undefined) throw new DamagedSegment(file, 'the overrides are damaged');
    for (const { document, low, high, path } of rows) {
      state.low[document] = low;
      state.high[document] = high;
      if (path !== undefined) state.renamed.set(document, path);
    }
  });
  return state;
}

/** Opens the file of a segment. @throws DamagedSegment */
export function openSegmentFile(folder: string, entry: SegmentEntry, caches?: SegmentCaches): Segment {
  const file = join(folder, entry.file);
  return openExpected(file, () => new Segment(file, entry.checksum, caches));
}

export function isOnBranch({ low, high }: SegmentState, document: number, bit: number): boolean {
  const word = bit < 32 ? low[document]! : high[document]!;
  return ((word >>> (bit % 32)) & 1) === 1;
}

export function addToBranch({ low, high }: SegmentState, document: number, bit: number): void {
  const words = bit < 32 ? low : high;
  words[document]! |= 1 << (bit % 32);
}

export function removeFromBranch({ low, high }: SegmentState, document: number, bit: number): void {
  const words = bit < 32 ? low : high;
  words[document]! &= ~(1 << (bit % 32));
}

export function isAlive({ low, high }: SegmentState, document: number): boolean {
  return (low[document]! | high[document]!) !== 0;
}

/** Opens a file. A missing file is damage, since the manifest names it. @throws DamagedSegment */
function openExpected<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (isAbsent(error)) throw new DamagedSegment(file, 'a file of the index is missing', { cause: error });
    throw error;
  }
}
