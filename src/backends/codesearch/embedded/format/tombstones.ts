import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Bits, emptyBits } from './bits.ts';
import type { SegmentEntry } from './manifest.ts';

/**
 * The documents of a segment that later commits replaced or deleted: a bit each, in a file of its own. Written by the
 * program before overrides, and read until its indexes are built anew. `undefined` when the file is not what the
 * manifest promises.
 */
export function readTombstones(folder: string, entry: SegmentEntry): Bits | undefined {
  const dead = emptyBits(entry.documents);
  if (entry.tombstones === undefined) return dead;
  const bytes = readFileSync(join(folder, entry.tombstones.file));
  if (bytes.length !== dead.byteLength || crc32(bytes) !== entry.tombstones.checksum) return undefined;
  new Uint8Array(dead.buffer).set(bytes);
  return dead;
}
