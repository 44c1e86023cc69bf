import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decodeColumns, encodeColumns } from './columns.ts';

/**
 * The section of symbols: three streams, each compressed by itself, documents in order and the definitions of each in
 * order of lines. Optional: a segment without it was built before symbols were.
 */
export interface SymbolStreams {
  /** Of each document, as varints: definitions, bytes of its places, bytes of its names. */
  readonly sizes: Buffer;
  /** Of each definition, a varint: lines behind the one before * 16 + index of its kind in `symbolKinds`. */
  readonly places: Buffer;
  /** Names, a newline behind each. */
  readonly names: Buffer;
}

/** Kinds take four bits of a place; their numbers are those of `symbolKinds`, which may only grow at its end. */
export const KIND_BITS = 4;

/** Bytes a stream may have: far more than a segment can hold names, far less than a damaged length could ask for. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Of zlib. */
const LEAST_CHUNK = 64;

export function encodeSymbolStreams({ sizes, places, names }: SymbolStreams): Buffer {
  return encodeColumns([sizes, places, names].map((stream) => zstdCompressSync(stream)));
}

export interface PackedSymbols {
  /** See `SymbolStreams`. */
  readonly sizes: Buffer;
  /** Of so many bytes, which `sizes` tells. @throws RangeError when it is of another length */
  places(bytes: number): Buffer;
  names(bytes: number): Buffer;
}

/** @throws when the bytes are no such section */
export function decodeSymbolStreams(section: ArrayBufferLike): PackedSymbols {
  const columns = decodeColumns(section);
  // Memory for all of the stream at once, and not quite full: zlib would make as much again.
  const stream = (index: number, bytes: number): Buffer => {
    if (bytes > MOST_BYTES) throw new RangeError('a stream that no segment has');
    const chunkSize = Math.max(LEAST_CHUNK, bytes + 1);
    const found = zstdDecompressSync(columns.u8(index), { maxOutputLength: Math.max(1, bytes), chunkSize });
    if (found.length !== bytes) throw new RangeError('a stream of another length');
    return found;
  };
  return {
    sizes: zstdDecompressSync(columns.u8(0), { maxOutputLength: MOST_BYTES }),
    places: (bytes) => stream(1, bytes),
    names: (bytes) => stream(2, bytes),
  };
}
