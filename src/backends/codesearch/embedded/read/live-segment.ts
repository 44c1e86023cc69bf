import { join } from 'node:path';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { type Bits, emptyBits, hasBit, setBit } from '../format/bits.ts';
import { isAbsent, type SegmentEntry } from '../format/manifest.ts';
import { readTombstones } from '../format/tombstones.ts';
import { isSearchable } from './document-table.ts';
import { DamagedSegment, Segment } from './segment.ts';

/** A segment as one generation of a repository sees it. */
export interface LiveSegment {
  readonly repositoryId: RepositoryId;
  /** As the caller named it; the id where it did not. */
  readonly repositoryName: string;
  /** Of the default branch, as is `commit`. */
  readonly branch: string;
  readonly commit: string;
  readonly segment: Segment;
  /** Documents to answer from: with content, and not replaced by a later commit. */
  readonly documents: Bits;
}

/** Documents of a segment that later commits replaced. @throws DamagedSegment */
export function deadDocuments(folder: string, entry: SegmentEntry): Bits {
  const dead = intact(join(folder, entry.file), () => readTombstones(folder, entry));
  if (dead === undefined) throw new DamagedSegment(join(folder, entry.file), 'damaged tombstones');
  return dead;
}

/** @throws DamagedSegment */
export function openSegmentFile(folder: string, entry: SegmentEntry): Segment {
  const file = join(folder, entry.file);
  return intact(file, () => new Segment(file, entry.checksum));
}

export function searchableDocuments(segment: Segment, dead: Bits): Bits {
  const { documents } = segment;
  const found = emptyBits(documents.count);
  for (let document = 0; document < documents.count; document++) {
    if (isSearchable(documents, document) && !hasBit(dead, document)) setBit(found, document);
  }
  return found;
}

/** A file that the manifest names and that is not there is damage, not absence. */
function intact<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (isAbsent(error)) throw new DamagedSegment(file, 'a file of the index is missing', { cause: error });
    throw error;
  }
}
