import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decodeColumns, encodeColumns } from './columns.ts';

/**
 * The symbol section: three separately compressed streams, with documents in order and the definitions of each in
 * line order.
 */
export interface SymbolStreams {
  /** Varints per document: number of definitions, size of its places, size of its names. */
  readonly sizes: Buffer;
  /** A varint per definition: difference to the previous line * 16 + index of its kind in `symbolKinds`. */
  readonly places: Buffer;
  /** Names, each followed by a newline. */
  readonly names: Buffer;
}

/**
 * Number of bits of a place that store the kind. Kinds are stored as indexes in `symbolKinds`, which may only grow at
 * its end.
 */
export const kindBits = 4;

/**
 * Maximum size of a stream, in bytes: far more than the names of a segment, far less than a damaged length could
 * claim.
 */
const maxBytes = 256 * 1024 * 1024;
/** Minimum chunk size that zlib accepts. */
const minChunk = 64;

export function encodeSymbolStreams({ sizes, places, names }: SymbolStreams): Buffer {
  return encodeColumns([sizes, places, names].map((stream) => zstdCompressSync(stream)));
}

export interface PackedSymbols {
  /** See `SymbolStreams`. */
  readonly sizes: Buffer;
  /**
   * Decompresses the places. `bytes` is their size according to `sizes`. @throws RangeError if the actual size
   * differs
   */
  places(bytes: number): Buffer;
  names(bytes: number): Buffer;
}

/** Decodes the section. @throws if the bytes are not a valid section */
export function decodeSymbolStreams(section: ArrayBufferLike): PackedSymbols {
  const columns = decodeColumns(section);
  // One chunk for the whole stream plus one byte: zlib would allocate the same amount again for a full chunk.
  const stream = (index: number, bytes: number): Buffer => {
    if (bytes > maxBytes) throw new RangeError('the size of the stream is invalid');
    const chunkSize = Math.max(minChunk, bytes + 1);
    const found = zstdDecompressSync(columns.u8(index), { maxOutputLength: Math.max(1, bytes), chunkSize });
    if (found.length !== bytes) throw new RangeError('the size of the stream differs');
    return found;
  };
  return {
    sizes: zstdDecompressSync(columns.u8(0), { maxOutputLength: maxBytes }),
    places: (bytes) => stream(1, bytes),
    names: (bytes) => stream(2, bytes),
  };
}
