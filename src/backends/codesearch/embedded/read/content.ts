import { zstdDecompressSync } from 'node:zlib';
import { lowerBound } from '../../../../foundation/kernel/lower-bound.ts';
import { decodeColumns } from '../format/columns.ts';
import type { SegmentBlocks } from './block-cache.ts';

/** The text of a segment, raw or compressed. */
export interface Content {
  /** Writes the text in `[from, to)` to `into`, which has this length. @throws Error when it is damaged */
  read(from: number, to: number, into: Buffer): void;
}

/** Reads the content section from `offset` on until `into` is full. */
type ReadAt = (offset: number, into: Buffer) => void;

export function rawContent(readAt: ReadAt): Content {
  return { read: (from, _to, into) => readAt(from, into) };
}

/**
 * Opens text that is compressed in blocks of whole units. `table` is the section `blocks`.
 * @throws RangeError when the table is damaged
 */
export function compressedContent(table: ArrayBuffer, readAt: ReadAt, cache: SegmentBlocks): Content {
  const columns = decodeColumns(table);
  const starts = columns.u32(0);
  const offsets = columns.u32(1);
  const count = starts.length - 1;
  const load = (block: number): Buffer => {
    const compressed = Buffer.allocUnsafe(offsets[block + 1]! - offsets[block]!);
    readAt(offsets[block]!, compressed);
    const length = starts[block + 1]! - starts[block]!;
    // A damaged block could otherwise decompress to gigabytes.
    const bytes = zstdDecompressSync(compressed, { maxOutputLength: length });
    if (bytes.length !== length) throw new RangeError('a decompressed block has the wrong length');
    cache.add(block, bytes);
    return bytes;
  };
  return {
    read: (from, to, into) => {
      let block = lowerBound(count, (index) => starts[index + 1]! > from);
      for (let at = from; at < to; block++) {
        const bytes = cache.get(block) ?? load(block);
        const start = starts[block]!;
        at += bytes.copy(into, at - from, at - start, to - start);
      }
    },
  };
}
