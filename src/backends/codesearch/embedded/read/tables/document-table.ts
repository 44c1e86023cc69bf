import { lowerBound } from '../../../../../foundation/kernel/lower-bound.ts';
import { decodeColumns } from '../../format/columns.ts';
import { type SegmentMeta, skipCodes } from '../../format/segment-sections.ts';
import { fileRanks } from '../../format/static-rank.ts';

/** Documents of a segment, in static order: by rank, then by path. */
export interface DocumentTable {
  readonly count: number;
  readonly sizes: Uint32Array;
  readonly ranks: Uint8Array;
  readonly skipped: Uint8Array;
  /** Branches 0 to 31 and 32 to 63 at the time when the segment was written, one bit each. */
  readonly branchesLow: Uint32Array;
  readonly branchesHigh: Uint32Array;
  /** Has one more entry than there are documents: the units of `d` are `[firstUnit[d], firstUnit[d + 1])`. */
  readonly firstUnit: Uint32Array;
  /** The document of each unit. */
  readonly ofUnit: Uint32Array;
  path(document: number): string;
  /** Returns a function that returns paths in lower case. Decodes all at once: one by one takes several times as long. */
  lowerPaths(): (document: number) => string;
  /** Start of each static rank, and the end. */
  readonly rankStarts: readonly number[];
  language(document: number): string;
  /** Returns the object id in hexadecimal. */
  oid(document: number): string;
  /** Returns the documents at `path`: several if branches differ. */
  find(path: string): number[];
}

export function documentTable(
  meta: SegmentMeta,
  documents: ArrayBufferLike,
  paths: ArrayBufferLike,
): DocumentTable {
  const columns = decodeColumns(documents);
  const pathColumns = decodeColumns(paths);
  const pathOffsets = pathColumns.u32(0);
  const pathBytes = Buffer.from(
    pathColumns.u8(1).buffer,
    pathColumns.u8(1).byteOffset,
    pathColumns.u8(1).length,
  );
  const languages = columns.u16(2);
  const ranks = columns.u8(3);
  const oids = columns.u8(7);
  const oidBuffer = Buffer.from(oids.buffer, oids.byteOffset, oids.length);
  const firstUnit = columns.u32(0);
  const path = (document: number): string =>
    pathBytes.toString('utf8', pathOffsets[document], pathOffsets[document + 1]);
  return {
    count: meta.documents,
    sizes: columns.u32(1),
    ranks,
    skipped: columns.u8(4),
    branchesLow: columns.u32(5),
    branchesHigh: columns.u32(6),
    firstUnit,
    ofUnit: documentsOfUnits(firstUnit, meta.units),
    path,
    lowerPaths: () => {
      const all = pathBytes.toString().toLowerCase();
      // The offsets are those of bytes.
      const isAscii = all.length === pathBytes.length;
      return (document) =>
        isAscii ? all.slice(pathOffsets[document], pathOffsets[document + 1]) : path(document).toLowerCase();
    },
    rankStarts: Array.from({ length: fileRanks + 1 }, (_, rank) =>
      lowerBound(meta.documents, (document) => ranks[document]! >= rank),
    ),
    language: (document) => meta.languages[languages[document]!] ?? '',
    oid: (document) => oidBuffer.toString('hex', document * meta.oidBytes, (document + 1) * meta.oidBytes),
    find: (wanted) => findPath(wanted, ranks, path),
  };
}

export function isSearchable(table: DocumentTable, document: number): boolean {
  return table.skipped[document] === skipCodes.none;
}

function documentsOfUnits(firstUnit: Uint32Array, units: number): Uint32Array {
  const ofUnit = new Uint32Array(units);
  for (let document = 0; document + 1 < firstUnit.length; document++) {
    ofUnit.fill(document, firstUnit[document], firstUnit[document + 1]);
  }
  return ofUnit;
}

/**
 * Finds a path by binary search in each rank, where paths are sorted. The rank of a path depends on the version of
 * the program that wrote the segment.
 */
function findPath(wanted: string, ranks: Uint8Array, path: (document: number) => string): number[] {
  for (let rank = 0; rank < fileRanks; rank++) {
    const low = lowerBound(ranks.length, (document) => ranks[document]! >= rank);
    const end = lowerBound(ranks.length, (document) => ranks[document]! > rank);
    const first = low + lowerBound(end - low, (index) => path(low + index) >= wanted);
    const found: number[] = [];
    for (let document = first; document < end && path(document) === wanted; document++) found.push(document);
    if (found.length > 0) return found;
  }
  return [];
}
