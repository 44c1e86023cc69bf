import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Bits } from './bits.ts';
import { decodeColumns, encodeColumns } from './columns.ts';
import { isAbsent, writeDurably } from './durable-files.ts';
import type { SegmentEntry } from './manifest.ts';

/**
 * The definitions of a segment, in a file next to it: three separately compressed streams, with documents in order and
 * the definitions of each in line order. A manifest names the file; a later one replaces it by another file.
 */
export interface SymbolStreams {
  /** Varints per document: number of definitions, size of its places, size of its names. */
  readonly sizes: Buffer;
  /** A varint per definition: difference to the previous line * 16 + index of its kind in `symbolKinds`. */
  readonly places: Buffer;
  /** Names in UTF-8, each followed by a newline. */
  readonly names: Buffer;
  /** The documents whose definitions were read. The others have none in the streams. */
  readonly read: Bits;
}

export type SymbolsEntry = NonNullable<SegmentEntry['symbols']>;

/**
 * Number of bits of a place that store the kind. Kinds are stored as indexes in `symbolKinds`, which may only grow at
 * its end.
 */
export const kindBits = 4;

/**
 * Maximum size of a stream, in bytes: far more than the names of a segment, far less than a damaged length could claim.
 */
const maxBytes = 256 * 1024 * 1024;

export function encodeSymbolStreams({ sizes, places, names, read }: SymbolStreams): Buffer {
  return encodeColumns([...[sizes, places, names].map((stream) => zstdCompressSync(stream)), read]);
}

/** Decodes the content of the file. @throws if the bytes are not valid */
export function decodeSymbolStreams(bytes: ArrayBufferLike): SymbolStreams {
  const columns = decodeColumns(bytes);
  const stream = (index: number): Buffer =>
    zstdDecompressSync(columns.u8(index), { maxOutputLength: maxBytes });
  return { sizes: stream(0), places: stream(1), names: stream(2), read: columns.u32(3) };
}

/** Writes the file for `generation`. `documents` is the number of documents whose definitions it has. */
export function writeSymbols(
  folder: string,
  segmentFile: string,
  generation: number,
  { bytes, documents }: { readonly bytes: Buffer; readonly documents: number },
): SymbolsEntry {
  const file = `${segmentFile}.sym-${generation}`;
  writeDurably(join(folder, file), bytes);
  return { file, checksum: crc32(bytes), documents };
}

/** Name of the file that marks a symbols file as damaged. */
export function symbolsDamageMark({ file }: SymbolsEntry): string {
  return `${file}.damaged`;
}

/**
 * Marks a symbols file as damaged, so that the process that writes the index reads its definitions anew. The segment
 * itself stays in use.
 */
export function markSymbolsDamaged(folder: string, entry: SymbolsEntry): void {
  try {
    writeFileSync(join(folder, symbolsDamageMark(entry)), '', { mode: 0o600 });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

export function areSymbolsDamaged(folder: string, entry: SymbolsEntry | undefined): boolean {
  if (entry === undefined) return false;
  return statSync(join(folder, symbolsDamageMark(entry)), { throwIfNoEntry: false }) !== undefined;
}
