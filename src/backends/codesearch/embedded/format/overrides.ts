import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { decodeColumns, encodeColumns } from './columns.ts';
import { writeDurably } from './durable-files.ts';
import type { SegmentEntry } from './manifest.ts';

/**
 * A change of a document after its immutable segment was written: the branches that contain it now (none: it is
 * dead), and its new path if it was renamed.
 */
export interface Override {
  readonly document: number;
  /** Bit masks of branches 0 to 31 and 32 to 63. */
  readonly low: number;
  readonly high: number;
  /** The new path; `undefined` if it is the path in the segment. */
  readonly path: string | undefined;
}

type OverridesEntry = NonNullable<SegmentEntry['overrides']>;

export function writeOverrides(
  folder: string,
  segmentFile: string,
  generation: number,
  rows: readonly Override[],
): OverridesEntry {
  const paths = rows.map((row) => Buffer.from(row.path ?? ''));
  const ends = new Uint32Array(rows.length);
  paths.forEach((path, index) => {
    ends[index] = (ends[index - 1] ?? 0) + path.length;
  });
  const bytes = encodeColumns([
    Uint32Array.from(rows, (row) => row.document),
    Uint32Array.from(rows, (row) => row.low),
    Uint32Array.from(rows, (row) => row.high),
    ends,
    Buffer.concat(paths),
  ]);
  const file = `${segmentFile}.over-${generation}`;
  writeDurably(join(folder, file), bytes);
  return { file, checksum: crc32(bytes), rows: rows.length };
}

/** Reads overrides; `undefined` if the file does not match the manifest. */
export function readOverrides(folder: string, entry: OverridesEntry): readonly Override[] | undefined {
  const bytes = readFileSync(join(folder, entry.file));
  if (crc32(bytes) !== entry.checksum) return undefined;
  const columns = decodeColumns(Uint8Array.from(bytes).buffer);
  const [documents, low, high, ends] = [columns.u32(0), columns.u32(1), columns.u32(2), columns.u32(3)];
  const paths = Buffer.from(columns.u8(4));
  return Array.from(documents, (document, index) => {
    const path = paths.toString('utf8', ends[index - 1] ?? 0, ends[index]);
    return { document, low: low[index]!, high: high[index]!, path: path === '' ? undefined : path };
  });
}
