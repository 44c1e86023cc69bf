import { constants, zstdCompressSync } from 'node:zlib';
import { encodeColumns } from '../format/columns.ts';
import type { Codec } from '../format/segment-sections.ts';

/** The knee of size against the time of a first look: of blocks twice as long, text is 1 % of itself smaller. */
const BLOCK_BYTES = 32 * 1024;
/** Memory for what comes out, which the library takes anew for each block: twice what most blocks need. */
const CHUNK_BYTES = BLOCK_BYTES / 2;
const LEVEL = 3;

/** Writes the text of a segment. */
export interface ContentWriter {
  /** The next unit; its bytes are taken before this returns. */
  add(unit: Uint8Array): void;
  /** After the last unit. Gives the table of blocks, where there are some. */
  finish(): Buffer | undefined;
}

type Write = (piece: Uint8Array) => void;

export function contentWriter(codec: Codec, write: Write): ContentWriter {
  return codec === 'zstd' ? compressedWriter(write) : { add: write, finish: () => undefined };
}

/** Blocks of whole units, so that a unit is read by reading one block; a longer unit is a block of its own. */
function compressedWriter(write: Write): ContentWriter {
  const starts = [0];
  const offsets = [0];
  const waiting = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let length = 0;
  const writeBlock = (text: Uint8Array): void => {
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
    const block = zstdCompressSync(text, { chunkSize: CHUNK_BYTES, params });
    write(block);
    starts.push(starts.at(-1)! + text.length);
    offsets.push(offsets.at(-1)! + block.length);
  };
  const flush = (): void => {
    if (length > 0) writeBlock(waiting.subarray(0, length));
    length = 0;
  };
  return {
    add: (unit) => {
      if (length + unit.length > BLOCK_BYTES) flush();
      if (unit.length > BLOCK_BYTES) writeBlock(unit);
      else {
        waiting.set(unit, length);
        length += unit.length;
      }
    },
    finish: () => {
      flush();
      return encodeColumns([Uint32Array.from(starts), Uint32Array.from(offsets)]);
    },
  };
}
