import { type Definition, maxFileBytes } from '../../port.ts';
import { skipCodes } from '../format/segment-sections.ts';
import { staticRank } from '../format/static-rank.ts';

/** A file of a commit that will be written to a segment. */
export interface PlannedFile {
  readonly path: string;
  readonly oid: string;
  readonly rank: number;
  /** Skip reason that is known from the tree; further reasons are found when the content is read. */
  readonly skipped: number;
  /** Bit masks of branches 0 to 31 and 32 to 63. */
  readonly branches: readonly [low: number, high: number];
  /** Returns the definitions that another segment has of this file; `undefined` if they were not read yet. */
  readonly definitions?: () => readonly Definition[] | undefined;
}

/** Creates a planned file. `bytes` is 0 if the tree does not state the size. */
export function plannedFile(entry: { mode: string; oid: string; path: string; bytes: number }): PlannedFile {
  return {
    path: entry.path,
    oid: entry.oid,
    rank: staticRank(entry.path),
    skipped: skipReason(entry.mode, entry.bytes),
    branches: [1, 0],
  };
}

/** Returns the skip reason for a Git mode: 120000 is a symbolic link, 160000 a submodule. */
function skipReason(mode: string, bytes: number): number {
  if (mode === '120000') return skipCodes.symlink;
  if (mode === '160000') return skipCodes.submodule;
  return bytes > maxFileBytes ? skipCodes.tooLarge : skipCodes.none;
}

/**
 * Returns whether a skip code is that of a link or submodule. A link and a file may have the same blob, but are
 * different documents.
 */
export function isLink(code: number): boolean {
  return code === skipCodes.symlink || code === skipCodes.submodule;
}

/** Compares files by the order of documents in a segment. */
export function inStaticOrder(a: PlannedFile, b: PlannedFile): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.path < b.path ? -1 : 1;
}
