import { constants, zstdCompressSync } from 'node:zlib';
import { encodeColumns } from '../format/columns.ts';
import type { Codec } from '../format/segment-sections.ts';

/**
 * Size of a block, in bytes. A trade-off of size against the time of a first read: blocks twice as long make text
 * smaller by only 1 % of its size.
 */
const blockBytes = 32 * 1024;
/** Size of the output buffer that zstd allocates for each block, in bytes: twice what most blocks need. */
const chunkBytes = blockBytes / 2;
const level = 3;

/** Writes the text of a segment. */
export interface ContentWriter {
  /** Adds the next unit; its bytes are copied before this returns. */
  add(unit: Uint8Array): void;
  /** Finishes after the last unit. Returns the table of blocks, if the codec has blocks. */
  finish(): Buffer | undefined;
}

type Write = (piece: Uint8Array) => void;

export function contentWriter(codec: Codec, write: Write): ContentWriter {
  return codec === 'zstd' ? compressedWriter(write) : { add: write, finish: () => undefined };
}

/** Writes blocks of complete units, so that a unit is read with one block. A longer unit is a separate block. */
function compressedWriter(write: Write): ContentWriter {
  const starts = [0];
  const offsets = [0];
  const pending = Buffer.allocUnsafeSlow(blockBytes);
  let length = 0;
  const writeBlock = (text: Uint8Array): void => {
    const params = { [constants.ZSTD_c_compressionLevel]: level };
    const block = zstdCompressSync(text, { chunkSize: chunkBytes, params });
    write(block);
    starts.push(starts.at(-1)! + text.length);
    offsets.push(offsets.at(-1)! + block.length);
  };
  const flush = (): void => {
    if (length > 0) writeBlock(pending.subarray(0, length));
    length = 0;
  };
  return {
    add: (unit) => {
      if (length + unit.length > blockBytes) flush();
      if (unit.length > blockBytes) writeBlock(unit);
      else {
        pending.set(unit, length);
        length += unit.length;
      }
    },
    finish: () => {
      flush();
      return encodeColumns([Uint32Array.from(starts), Uint32Array.from(offsets)]);
    },
  };
}
