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

export function encodeSymbolStreams({ sizes, places, names }: SymbolStreams): Buffer {
  return encodeColumns([sizes, places, names].map((stream) => zstdCompressSync(stream)));
}

/** @throws when the bytes are no such section */
export function decodeSymbolStreams(section: ArrayBuffer): SymbolStreams {
  const columns = decodeColumns(section);
  const stream = (index: number): Buffer =>
    zstdDecompressSync(columns.u8(index), { maxOutputLength: MOST_BYTES });
  return { sizes: stream(0), places: stream(1), names: stream(2) };
}
