import { mostFileBytes } from '../../port.ts';
import { SKIP } from '../format/segment-sections.ts';
import { staticRank } from '../format/static-rank.ts';

/** A file of the commit that goes into a segment. */
export interface PlannedFile {
  readonly path: string;
  readonly oid: string;
  readonly rank: number;
  /** Known from the tree alone; what only the bytes tell is decided when they are read. */
  readonly skipped: number;
  /** Branches 0 to 31 and 32 to 63, a bit each. */
  readonly branches: readonly [low: number, high: number];
}

/** `bytes` is 0 where the tree does not say. */
export function plannedFile(entry: { mode: string; oid: string; path: string; bytes: number }): PlannedFile {
  return {
    path: entry.path,
    oid: entry.oid,
    rank: staticRank(entry.path),
    skipped: skipReason(entry.mode, entry.bytes),
    branches: [1, 0],
  };
}

/** Modes of Git: 120000 is a symbolic link, 160000 a submodule. */
function skipReason(mode: string, bytes: number): number {
  if (mode === '120000') return SKIP.symlink;
  if (mode === '160000') return SKIP.submodule;
  return bytes > mostFileBytes ? SKIP.tooLarge : SKIP.none;
}

/** A link and a file may share a blob, and are not the same. */
export function isLink(code: number): boolean {
  return code === SKIP.symlink || code === SKIP.submodule;
}

/** The order of documents in a segment. */
export function inStaticOrder(a: PlannedFile, b: PlannedFile): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.path < b.path ? -1 : 1;
}
